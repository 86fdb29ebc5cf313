#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "certify/action_metric.hpp"
#include "certify/bandit.hpp"
#include "certify/bound_list.hpp"
#include "certify/discretisation.hpp"
#include "certify/pruning.hpp"
#include "certify/variance.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

using Of = Quantity;

void add_lemmas(const KernelNorms& norms, BoundList& list) {
  list.add("paper_rkhs_distance", Of::h_norm, std::ranges::max(norms.all), "an identity, over functions e_k");
  if (norms.tail.eps < 1) {
    list.add("paper_geometric_tail", Of::tail, norms.tail.bound, "eps fitted to the dropped coefficients, below 1",
             norms.tail.tail);
  } else {
    list.skip("paper_geometric_tail", Of::tail, "the fitted eps is 1 or more, where the printed form is negative");
  }
}

// 4 m^2 eps g / (1 - g)^2 {bracket} + max(eps1, eps2).
void add_truncation(const TabularComparison& c, const BoundInputs& inputs, const KernelNorms& norms, BoundList& list) {
  const double g = c.mdp.gamma, eps1 = c.policy1.eps_bar, eps2 = c.policy2.eps_bar, M = inputs.kernel.M;
  const auto m = static_cast<double>(c.mdp.m);
  const double front = 4 * m * m * eps1 * g / ((1 - g) * (1 - g)), rest = std::max(eps1, eps2);
  const double all = M * std::ranges::max(norms.all), kept = M * std::ranges::max(norms.kept), E = norms.tail.bound;
  const std::string not_one = "not a guarantee: the norm lacks its root, the linear term 1 / (1 - g)";
  list.add("paper_trunc_inf", Of::discounted_return, front * all * all + rest, not_one + "; all coefficients");
  list.add("paper_trunc_k", Of::discounted_return, front * kept * kept + rest,
           not_one + "; kept coefficients alone, O(eps^2K) dropped");
  if (norms.tail.eps < 1) {
    list.add("paper_trunc_tail", Of::discounted_return, front * (kept * kept + 2 * E * kept + E * E * M * M) + rest,
             not_one + "; kept coefficients and the fitted tail, as in the proof");
  } else {
    list.skip("paper_trunc_tail", Of::discounted_return, "the fitted eps is 1 or more");
  }
  list.add("paper_alpha", Of::discounted_return, 4 * c.alpha * c.alpha * g * eps1 / ((1 - g) * (1 - g)) + eps1,
           "the proof's inequality with the true largest TV; does not fall to 0 with it");
}

void add_discretisation(const BoundInputs& inputs, BoundList& list) {
  if (inputs.state_samples.cols() == 0 || inputs.state_bins.empty() || inputs.action_bins.empty()) {
    list.skip("paper_discretisation", Of::volume, "no samples of states and actions, or no bins");
    list.skip("paper_discretisation_fixed", Of::volume, "no samples of states and actions, or no bins");
    return;
  }
  const DiscretisationVolume volume =
      discretisation_volume(inputs.state_samples, inputs.action_samples, inputs.state_bins, inputs.action_bins);
  list.add("paper_discretisation", Of::volume, volume.printed, "not a guarantee: the printed integrand makes it 0");
  list.add("paper_discretisation_fixed", Of::volume, volume.fixed, "a diagnostic: bounds no return");
}

void add_pruning(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  if (inputs.trajectories == 0) {
    list.skip("paper_pruning", Of::pruning, "how many rollouts decided which cells are kept is not known");
    return;
  }
  const std::size_t n = inputs.full_states == 0 ? c.mdp.n : inputs.full_states;
  const double r_M = inputs.r_M > 0 ? inputs.r_M : c.r_M;
  const auto with = [&](std::size_t N) {
    return printed_pruning_bound(n, c.mdp.m, N, c.mdp.gamma, r_M, inputs.confidence_delta);
  };
  // The bound falls as 1 / sqrt(N): where it meets what is known without it.
  const double trivial = trivial_bound(c, Of::pruning, inputs);
  const double enough = trivial > 0 ? std::pow(with(1) / trivial, 2) : HUGE_VAL;
  list.add(
      "paper_pruning", Of::pruning, with(inputs.trajectories),
      fmt::format("the policy of counts; its proof was not checked; N = {} rollouts decided which of {} states are "
                  "kept, and the bound is informative from N = {:.3g} on",
                  inputs.trajectories, n, enough));
}

// The sum of the three printed terms, where all are there.
void add_three_terms(BoundList& list) {
  double sum = 0;
  for (const char* id : {"paper_discretisation_fixed", "paper_pruning", "paper_trunc_inf"}) {
    const Bound* const term = find_bound(list.rows, id);
    if (!term->applicable) {
      list.skip("paper_three_terms", Of::discounted_return, std::string(id) + " is missing");
      return;
    }
    sum += term->value;
  }
  list.add("paper_three_terms", Of::discounted_return, sum, "not a guarantee, because its terms are not guaranteed");
}

void add_coverage(const TabularComparison& c, BoundList& list) {
  if (!c.long_run_applicable() || c.T3_frobenius == 0) {
    list.skip("paper_coverage", Of::stationary_l2, "the long run is not defined, or the process too large");
    list.skip("paper_coverage_l1", Of::stationary_l1, "the long run is not defined, or the process too large");
    return;
  }
  const double value = c.long_run1.Z_norms.sinf * c.delta_norms.s1 * c.T3_frobenius;
  list.add("paper_coverage", Of::stationary_l2, value, "read as printed, the norm of a row vector is Euclidean");
  list.add("paper_coverage_l1", Of::stationary_l1, value, "not a guarantee: for the L1 norm nothing is proved");
}

void add_bandit(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const char* const names[3] = {"paper_bandit_p1", "paper_bandit_p2", "paper_bandit_pinf"};
  if (c.mdp.n != 1 || c.mdp.is_terminal(0)) {
    for (const char* name : names) list.skip(name, Of::reward, "more than one state");
    return;
  }
  const BanditBounds bandit = bandit_bounds(c.mdp.r, c.pi1, c.pi2, inputs.kernel);
  for (int p = 0; p < 3; ++p) {
    list.add(names[p], Of::reward, bandit.printed[p], "not a guarantee: the norm lacks its root", bandit.difference);
  }
}

void add_variance(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const VarianceCheck v = variance_check(c, inputs.raw);
  list.add("paper_variance_1", Of::condition, v.condition1 ? 1 : 0, "sigma'(eta2) <= sigma'(eta1), sigma logistic");
  list.add("paper_variance_2", Of::condition, v.condition2 ? 1 : 0, "sqrt(E[eps^2] / 3) >= E[eps], (s, a) uniform");
  list.add("paper_variance_3", Of::condition, v.condition3 ? 1 : 0, "V[pi] = sigma'(eta1)^2 V[Q1] within one half");
  if (v.condition1 && v.condition2 && v.condition3) {
    list.add("paper_variance", Of::variance_q, v.V_Q1, "not a guarantee: condition 1 is reversed", v.V_Q2);
  } else {
    list.skip("paper_variance", Of::variance_q, "its three conditions do not all hold");
  }
}

void add_mean_action(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  if (inputs.atoms.empty()) {
    list.skip("paper_w1_mean_action", Of::mean_action, "values of the actions were not given");
    return;
  }
  const std::size_t m = c.mdp.m;
  const ActionMetric metric(inputs.atoms);
  double distance = 0, moved = 0;
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    const auto row1 = std::span(c.pi1).subspan(s * m, m), row2 = std::span(c.pi2).subspan(s * m, m);
    distance = std::max(distance, metric.moved(row1, row2));
    moved = std::max(moved, metric.mean_moved(row1, row2));
  }
  list.add("paper_w1_mean_action", Of::mean_action, distance, "distances of actions are sums over dimensions", moved);
}

}  // namespace

std::vector<Bound> paper_bounds(const TabularComparison& c, const BoundInputs& inputs) {
  BoundList list(c, inputs, Level::paper);
  const KernelNorms norms = kernel_norms(c, inputs);
  add_lemmas(norms, list);
  add_truncation(c, inputs, norms, list);
  add_discretisation(inputs, list);
  add_pruning(c, inputs, list);
  add_three_terms(list);
  add_coverage(c, list);
  add_bandit(c, inputs, list);
  add_variance(c, inputs, list);
  add_mean_action(c, inputs, list);
  return std::move(list.rows);
}

}  // namespace mercer

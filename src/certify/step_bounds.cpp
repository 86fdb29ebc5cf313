#include <cmath>

#include <fmt/format.h>

#include "certify/bandit.hpp"
#include "certify/bound_list.hpp"
#include "certify/pruning.hpp"
#include "certify/variance.hpp"

namespace mercer {
namespace {

using Of = Quantity;

void add_step_pruning(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  const std::string confident = fmt::format("; with probability {}", 1 - inputs.confidence_delta);
  if (inputs.held_out == 0 || inputs.T == 0) {
    list.skip("P1", Of::pruning, "no held-out trajectories, or no horizon");
  } else {
    list.add(
        "P1", Of::pruning,
        held_out_pruning_bound(c.delta_r, c.mdp.gamma, inputs.T, inputs.hits, inputs.held_out, inputs.confidence_delta),
        "policies that differ in pruned states alone, fresh independent trajectories" + confident);
  }
  if (inputs.counts.empty()) {
    list.skip("P2", Of::pruning, "no counts of actions");
    return;
  }
  // Policy 2 is made of the counts: its distance from policy 1 is not measured but bounded.
  std::vector<double> TV(c.mdp.n);
  for (std::size_t s = 0; s < c.mdp.n; ++s) {
    double visits = 0;
    for (std::size_t a = 0; a < c.mdp.m; ++a) visits += inputs.counts[s * c.mdp.m + a];
    TV[s] = c.mdp.is_terminal(s) ? 0 : weissman_radius(visits, c.mdp.m, c.mdp.n, inputs.confidence_delta);
  }
  const double far = 1 / (1 - c.mdp.gamma);
  const std::string needs = "policy 2 counts independent actions of policy 1; occupancy and critic" + confident;
  list.add("P2/B2", Of::pruning, far * sum_of(c.policy2.d, TV, c.policy1.span_A), needs);
  list.add("P2/B4", Of::pruning, far * far * c.delta_r * sum_of(c.policy2.d, TV), needs);
  list.least("P2");
}

void add_step_bandit(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  if (c.mdp.n != 1 || c.mdp.is_terminal(0)) {
    list.skip("bandit", Of::reward, "more than one state");
    return;
  }
  const BanditBounds bandit = bandit_bounds(c.mdp.r, c.pi1, c.pi2, inputs.kernel);
  const char* const names[3] = {"bandit/p1", "bandit/p2", "bandit/pinf"};
  for (int p = 0; p < 3; ++p) {
    const std::string needs = fmt::format("coefficients in the kernel '{}', one round", name(inputs.kernel.kind));
    list.add(names[p], Of::reward, bandit.rigorous[p], needs, bandit.difference);
    list.add(std::string(names[p]) + "_centred", Of::reward, bandit.centred[p], needs, bandit.difference);
  }
  list.add("bandit/TV", Of::reward, bandit.tv_span, "TV and the range of the rewards, one round", bandit.difference);
  list.least("bandit");
}

}  // namespace

void add_step_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  add_step_pruning(c, inputs, list);
  add_step_bandit(c, inputs, list);
  const VarianceCheck variance = variance_check(c, inputs.raw);
  const std::string needs = "TV and one critic; spread over (s, a) drawn uniformly";
  list.add("V1/1", Of::sd_q, variance.sd_bound1, needs, variance.sd_difference);
  list.add("V1/2", Of::sd_q, variance.sd_bound2, needs, variance.sd_difference);
  list.least("V1");
}

}  // namespace mercer

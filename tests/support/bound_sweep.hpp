#pragma once

#include <map>
#include <numeric>

#include "certify/exact.hpp"
#include "certify/own_kernel.hpp"
#include "certify/three_terms.hpp"
#include "mercer/certify.hpp"
#include "mercer/parallel.hpp"
#include "support/random_pairs.hpp"

namespace mercer {

/// How one bound did over a sweep.
struct BoundTally {
  Level level = Level::rigorous;
  std::size_t applicable = 0, vacuous = 0, violations = 0;
  std::size_t wins = 0;        ///< how often it was the least bound on the return
  std::vector<double> ratios;  ///< bound / true, where the true value is not nothing

  double median() {
    if (ratios.empty()) return 0;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    return *middle;
  }
};
using BoundTallies = std::map<std::string, BoundTally>;

/// Adds a row whose true value is known. Rounding is forgiven: 1e-9, and 1e-7 for what goes through the fundamental
/// matrix.
inline void tally(BoundTallies& tallies, const Bound& bound, const std::string& name, double scale) {
  if (!bound.measured) return;
  BoundTally& own = tallies[name];
  own.level = bound.level;
  if (!bound.applicable) return;
  const double slack = bound.quantity == Quantity::stationary_l1 || bound.quantity == Quantity::stationary_l2 ||
                               bound.quantity == Quantity::stationary_max
                           ? 1e-7
                           : 1e-9;
  ++own.applicable;
  own.vacuous += bound.vacuous ? 1 : 0;
  own.violations += *bound.measured > bound.value * (1 + slack) + slack * 1e-3 * scale ? 1 : 0;
  if (*bound.measured > 1e-9 * scale) own.ratios.push_back(bound.value / *bound.measured);
}

/// Policies between the two of a pair: neighbouring actions share their mass, and one state is uniform.
struct BetweenPolicies {
  std::vector<double> discretised, pruned;
};
inline BetweenPolicies between(const RandomPair& pair) {
  const std::size_t n = pair.mdp.n, m = pair.mdp.m;
  BetweenPolicies out{pair.pi1, {}};
  for (std::size_t i = 0; i < n * m; ++i) {
    const std::size_t a = i % m;
    if (a % 2 == 1) out.discretised[i - 1] = out.discretised[i] = (pair.pi1[i - 1] + pair.pi1[i]) / 2;
  }
  out.pruned = out.discretised;
  const std::size_t gone = (n * m + pair.trajectories) % n;
  std::fill_n(out.pruned.begin() + static_cast<std::ptrdiff_t>(gone * m), m, 1 / static_cast<double>(m));
  return out;
}

/// The table kernel's bound on TV between two policies of a pair.
inline std::vector<double> joint_of(const RandomPair& pair, const SparseMdp& mdp, std::span<const double> one,
                                    std::span<const double> two) {
  // In a basis of its own, by turns.
  const char* const bases[] = {"fourier", "dct", "haar:tensor", "db4:tensor"};
  std::vector<std::size_t> places(pair.mdp.n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::vector<double> delta(one.size());
  for (std::size_t i = 0; i < delta.size(); ++i) {
    delta[i] = mdp.is_terminal(i / pair.mdp.m) ? 0 : two[i] - one[i];
  }
  return table_kernel_bound(bases[pair.mdp.n % std::size(bases)], {pair.mdp.n, pair.mdp.m}, places, delta).TV;
}

/// All bounds of one pair. The return's bounds are scaled by the range of returns.
inline void tally_pair(const RandomPair& pair, BoundTallies& tallies) {
  const TabularComparison comparison = compare(pair.mdp, pair.pi1, pair.pi2);
  BoundInputs inputs{.kernel = make_action_kernel(ActionKernelKind::sobolev, pair.mdp.m),
                     .kept_difference = pair.kept_difference,
                     .raw = pair.raw,
                     .atoms = pair.atoms,
                     .T = pair.T == 0 ? 15 : pair.T,
                     .trajectories = pair.trajectories,
                     .held_out = pair.held_out,
                     .hits = pair.hits,
                     .counts = pair.counts};
  const std::vector<double> joint = joint_of(pair, comparison.mdp, pair.pi1, pair.pi2);
  inputs.joint_TV = joint;
  // States and actions as they were seen, by their numbers.
  std::vector<double> states, actions;
  for (std::size_t i = 0; i < pair.seen.size(); ++i) {
    for (double count = 0; count < pair.seen[i]; ++count) {
      states.push_back(static_cast<double>(i / pair.mdp.m));
      actions.push_back(static_cast<double>(i % pair.mdp.m));
    }
  }
  if (!states.empty()) {
    inputs.state_samples = {states.data(), 1, states.size()};
    inputs.action_samples = {actions.data(), 1, actions.size()};
    inputs.state_bins = {5};
    inputs.action_bins = {3};
  }
  const auto scale = [&](const Bound& bound) {
    const double trivial = trivial_bound(comparison, bound.quantity, inputs);
    return std::isfinite(trivial) ? trivial : 0;
  };
  const std::vector<Bound> rigorous = rigorous_bounds(comparison, inputs);
  for (const Bound& bound : rigorous) {
    if (bound.id.find('/') == std::string::npos) tally(tallies, bound, bound.id, scale(bound));
  }
  const std::string best = best_bound(rigorous)->id;
  ++tallies[best.substr(0, best.find('/'))].wins;
  // Kernels along the actions that belong to bases.
  for (const char* basis : {"fourier", "dct", "db4", "svd"}) {
    BoundInputs own = inputs;
    own.kernel = kernel_of_basis(basis, pair.mdp.m, pair.pi1).value();
    own.T = 0;
    for (const Bound& bound : rigorous_bounds(comparison, own)) {
      if (bound.id != "B7" && bound.id != "B7'" && bound.id != "L2" && bound.id != "bandit") continue;
      tally(tallies, bound, bound.id + ", " + basis, scale(bound));
    }
  }
  const BetweenPolicies steps = between(pair);
  BoundInputs last = inputs;
  const std::vector<double> joint_last = joint_of(pair, comparison.mdp, steps.pruned, pair.pi2);
  last.joint_TV = joint_last;
  for (const Bound& bound :
       three_term_bounds(comparison.mdp, {pair.pi1, steps.discretised, steps.pruned, pair.pi2}, last)) {
    tally(tallies, bound, bound.id, scale(bound));
  }
  for (const Bound& bound : exact_bounds(exact_difference(comparison))) tally(tallies, bound, bound.id, scale(bound));
  const auto printed = [&](const std::string& suffix, auto wanted) {
    for (const Bound& bound : paper_bounds(comparison, inputs)) {
      if (wanted(bound.id)) tally(tallies, bound, bound.id + suffix, scale(bound));
    }
  };
  // What is kept and what is dropped mean something for truncations alone.
  const bool truncated = !pair.raw.empty();
  const auto of_the_kernel = [truncated](const std::string& id) {
    return id == "paper_trunc_inf" || (truncated && id.starts_with("paper_trunc_"));
  };
  printed("", [truncated](const std::string& id) {
    return !id.starts_with("paper_trunc_") &&
           (truncated || (id != "paper_geometric_tail" && !id.starts_with("paper_variance")));
  });
  printed(", sobolev", of_the_kernel);
  inputs.kernel = make_action_kernel(ActionKernelKind::identity, pair.mdp.m);
  printed(", identity", of_the_kernel);
  const std::vector<double> none(pair.pi1.size());
  if (truncated) {  // read so that a truncation leaves the kept coefficients as they are
    inputs.kept_difference = none;
    printed(", kept unchanged", [](const std::string& id) { return id == "paper_trunc_k"; });
  }
  inputs.kernel = with_eigenvalues(inputs.kernel, std::vector<double>(pair.mdp.m, 100.0));
  printed(", identity x 100", [](const std::string& id) { return id == "paper_trunc_inf"; });
}

/// `count` pairs, on all allowed threads.
inline BoundTallies sweep_bounds(std::uint64_t seed, std::size_t count) {
  constexpr std::size_t block_size = 25;
  std::vector<BoundTallies> parts((count + block_size - 1) / block_size);
  for_each_block(count, block_size, [&](Block block) {
    for (std::size_t item = block.begin; item < block.end; ++item) {
      tally_pair(PairMaker(seed, item).make(), parts[block.index]);
    }
  });
  BoundTallies all;
  for (const BoundTallies& part : parts) {
    for (const auto& [name, one] : part) {
      BoundTally& sum = all[name];
      sum.level = one.level;
      sum.applicable += one.applicable;
      sum.vacuous += one.vacuous;
      sum.violations += one.violations;
      sum.wins += one.wins;
      sum.ratios.insert(sum.ratios.end(), one.ratios.begin(), one.ratios.end());
    }
  }
  return all;
}

}  // namespace mercer

#pragma once

#include <map>

#include "certify/exact.hpp"
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

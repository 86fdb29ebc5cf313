#include "certify/exact.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "mercer/mdp.hpp"

namespace mercer {
namespace {

template <class Solution>
ExactDifference difference_of(const Solution& one, const Solution& two) {
  const double difference = one.eta - two.eta;
  const double own = std::numeric_limits<double>::epsilon() * std::abs(difference);
  return {one.eta, two.eta, difference, (one.eta_error + two.eta_error + own) * (1 + 1e-15)};
}

Bound row(std::string id, const ExactDifference& exact) {
  const double size = std::abs(exact.difference);
  return {std::move(id),
          Level::exact,
          Quantity::discounted_return,
          size + exact.error,
          true,
          false,
          "the finite process as given; rounding errors are counted",
          size};
}

}  // namespace

ExactDifference exact_difference(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                 const TabularOptions& options) {
  return difference_of(solve_tabular(mdp, checked_policy(mdp, pi1, "policy 1"), options),
                       solve_tabular(mdp, checked_policy(mdp, pi2, "policy 2"), options));
}

ExactDifference exact_difference(const TabularComparison& comparison) {
  return difference_of(comparison.policy1, comparison.policy2);
}

ExactDifference exact_horizon_difference(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                         std::size_t T, double gamma) {
  return difference_of(solve_finite_horizon(mdp, checked_policy(mdp, pi1, "policy 1"), T, gamma),
                       solve_finite_horizon(mdp, checked_policy(mdp, pi2, "policy 2"), T, gamma));
}

ExactSplit exact_split(const SparseMdp& mdp, std::span<const double> teacher, std::span<const double> discretised,
                       std::span<const double> pruned, std::span<const double> embedded,
                       const TabularOptions& options) {
  const std::array<std::span<const double>, 4> tables{teacher, discretised, pruned, embedded};
  const std::array<const char*, 4> names{"the teacher", "the discretised policy", "the pruned policy",
                                         "the embedded policy"};
  std::array<TabularSolution, 4> solved;
  for (std::size_t i = 0; i < 4; ++i) solved[i] = solve_tabular(mdp, checked_policy(mdp, tables[i], names[i]), options);
  return {difference_of(solved[0], solved[3]), difference_of(solved[0], solved[1]), difference_of(solved[1], solved[2]),
          difference_of(solved[2], solved[3])};
}

std::vector<Bound> exact_bounds(const ExactDifference& difference) { return {row("exact", difference)}; }

std::vector<Bound> exact_bounds(const ExactSplit& split) {
  return {row("exact", split.total), row("exact/discretisation", split.discretisation),
          row("exact/pruning", split.pruning), row("exact/projection", split.projection)};
}

}  // namespace mercer

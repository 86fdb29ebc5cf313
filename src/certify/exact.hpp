#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// eta1 - eta2 of a finite process, solved for. `error` bounds what rounding may have done to it.
struct ExactDifference {
  double eta1 = 0, eta2 = 0;
  double difference = 0;
  double error = 0;
};
/// Throws what `solve_tabular` and `checked_policy` throw.
ExactDifference exact_difference(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                 const TabularOptions& options = {});
ExactDifference exact_difference(const TabularComparison& comparison);
/// Over T steps, with any discount up to 1.
ExactDifference exact_horizon_difference(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                         std::size_t T, double gamma = 1);

/// How a difference of returns splits over the steps from a teacher to its embedding, all in the same process.
struct ExactSplit {
  ExactDifference total, discretisation, pruning, projection;
};
ExactSplit exact_split(const SparseMdp& mdp, std::span<const double> teacher, std::span<const double> discretised,
                       std::span<const double> pruned, std::span<const double> embedded,
                       const TabularOptions& options = {});

/// Rows of level `exact`: |difference| + error as value, |difference| as measured. Ids "exact", "exact/discretisation",
/// "exact/pruning", "exact/projection".
std::vector<Bound> exact_bounds(const ExactDifference& difference);
std::vector<Bound> exact_bounds(const ExactSplit& split);

}  // namespace mercer

#pragma once

#include <vector>

#include "mercer/view/visited.hpp"

namespace mercer {

/// A square of states: two axes run through their windows, the others stay.
struct SliceOptions {
  std::size_t x = 0, y = 1;     ///< axes; the same one twice where there is only one
  std::size_t n = 64;           ///< states along each, 2 to 256
  std::vector<double> fixed{};  ///< one number for each axis, those of x and y unused; empty: the typical state
};

/// Observations of the n * n states, one row for each dimension; state number row * n + column, x along columns, at the
/// middles of n equal parts of the windows. `env` may be null: axes are the observation's then. Throws `out_of_range`,
/// `shape_mismatch`, `not_finite`.
std::vector<double> slice_observations(const Env* env, const Visited& visited, const SliceOptions& options);

/// The mean action of a policy in each of `count` states, of one action dimension. O(states) calls in tiles.
std::vector<double> slice_actions(const Policy& policy, MatrixView<const double> observations, std::size_t output);

/// How often states were visited, whatever their other axes were: n * n shares that sum to 1, smoothed over neighbours;
/// empty where nothing was visited.
std::vector<double> slice_visits(const Visited& visited, const SliceOptions& options);

}  // namespace mercer

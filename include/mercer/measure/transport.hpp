#pragma once

#include <cstdint>
#include <span>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Points are columns, one row for each dimension; weights are as in `wasserstein`, one for each point or none.
struct WeightedPoints {
  MatrixView<const double> points;
  std::span<const double> weights{};
};

/// Largest number of points on either side for which the exact distance is computed.
inline constexpr std::size_t most_transport_points = 2000;

/// Wasserstein distance in several dimensions, the least mean Euclidean distance over which the mass of `x` must be
/// moved to become `y`: exact, by the network simplex method on whole numbers (weights are rounded to 2^-50 of their
/// sum). At most 2,000 points each. About a second for 2,000 each. Throws `too_large` beyond, and what
/// `wasserstein` throws.
double transport_distance(const WeightedPoints& x, const WeightedPoints& y);

/// Mean of the one-dimensional distances along random directions: never above the distance itself. O(directions n log
/// n), `directions` from 1.
double sliced_wasserstein(const WeightedPoints& x, const WeightedPoints& y, std::size_t directions = 64,
                          std::uint64_t seed = 0);

}  // namespace mercer

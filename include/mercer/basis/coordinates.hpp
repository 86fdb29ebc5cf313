#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/core/matrix_view.hpp"
#include "mercer/env/space.hpp"

namespace mercer {

/// How one axis becomes a coordinate x in [-1, 1]: linear from its range, then through a rising line of straight pieces
/// that takes knot j of n to -1 + 2 (j + 1) / (n + 1). What lies outside the range counts as its end; a periodic axis
/// goes on.
struct Coordinate {
  Range range;                        ///< finite and not empty
  bool periodic = false;              ///< such an axis has no knots
  std::vector<std::uint8_t> knots{};  ///< rising, 1 to 255: x = -1 + 2 knot / 256 after the linear part

  double apply(double value) const;
};

/// One coordinate for each axis.
using Coordinates = std::vector<Coordinate>;

/// The ranges of a space. Throws `out_of_range` for one that is not finite: such an axis needs a range of its own.
Coordinates coordinates_of(const Space& space);
bool has_finite_ranges(const Space& space);

/// Ranges that visited states (columns) need: their mean plus and minus `spreads` standard deviations, in half
/// precision, cut to the space's own range.
Coordinates visited_coordinates(const Space& space, MatrixView<const double> states, double spreads = 4);

/// Gives every axis that is not periodic `count` knots (1 to 15) at the quantiles of visited states, mixed with even
/// ones: `temper` 0 leaves the axis as it is, 1 makes visited coordinates evenly spread.
void add_knots(Coordinates& coordinates, MatrixView<const double> states, std::size_t count, double temper);

}  // namespace mercer

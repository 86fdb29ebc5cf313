#pragma once

#include <span>
#include <vector>

#include "mercer/statistics.hpp"

namespace mercer {

/// The middle of part i of n equal parts of a range.
double middle(const Range& window, std::size_t n, std::size_t i);

/// Where all but 2% of the values are, with a margin of 5% inside of `within`; `within` where they are one number.
Range near_range(std::span<const double> values, const Range& within);

/// How many points fall into each of n * n parts, smoothed over neighbours: shares that sum to 1, x along columns.
std::vector<double> smooth_counts(std::span<const double> x, std::span<const double> y, const Range& across,
                                  const Range& up, std::size_t n);

}  // namespace mercer

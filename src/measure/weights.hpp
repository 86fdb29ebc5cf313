#pragma once

#include <cstddef>
#include <span>

namespace mercer {

/// Sum of the weights of `points` points, one each; without weights, their number. Throws `bad_distribution` for
/// weights that are negative, not finite or all zero.
double total_weight(std::span<const double> weights, std::size_t points);

}  // namespace mercer

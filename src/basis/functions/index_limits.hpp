#pragma once

#include "io/limits.hpp"
#include "mercer/functions.hpp"

namespace mercer {

/// Axes that terms may have, and products that an index set may have, at most.
inline constexpr std::size_t most_coordinates = limits::continuous_coordinates, most_indices = limits::continuous_terms;

/// The largest degree, at most the set's own, with which it has no more than `most` (1 or more) products.
std::size_t largest_degree(IndexSet set, std::size_t most);

}  // namespace mercer

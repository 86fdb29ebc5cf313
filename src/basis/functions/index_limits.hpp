#pragma once

#include "mercer/functions.hpp"

namespace mercer {

/// Axes that terms may have, and products that an index set may have, at most.
inline constexpr std::size_t most_coordinates = 256, most_indices = 65536;

/// The largest degree, at most the set's own, with which it has no more than `most` (1 or more) products.
std::size_t largest_degree(IndexSet set, std::size_t most);

}  // namespace mercer

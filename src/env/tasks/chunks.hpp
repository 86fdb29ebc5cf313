#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace mercer {

/// Batches are cut into chunks of this many columns where a task needs scratch space: it fits on the stack and in the
/// first-level cache.
inline constexpr std::size_t chunk_columns = 256;
using Chunk = std::array<double, chunk_columns>;

/// body(begin, count) for each chunk of the columns.
template <class Body>
void for_each_chunk(std::size_t columns, Body body) {
  for (std::size_t begin = 0; begin < columns; begin += chunk_columns) {
    body(begin, std::min(chunk_columns, columns - begin));
  }
}

}  // namespace mercer

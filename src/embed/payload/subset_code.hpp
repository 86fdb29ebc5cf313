#pragma once

#include "embed/payload/bits.hpp"

namespace mercer {

/// Writes K different numbers below `count` (rising) in as few bits as they can be told apart with: the rank of the
/// subset among all of its size, ceil(log2 C(count, K)) bits. Beyond 256 of them, where that would be slow, a bitmap or
/// the plain numbers, whichever is shorter. `count` is at most 65536.
void write_subset(BitWriter& out, std::span<const std::uint32_t> subset, std::size_t count);
std::vector<std::uint32_t> read_subset(BitReader& in, std::size_t size, std::size_t count);

}  // namespace mercer

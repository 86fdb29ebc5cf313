#pragma once

#include "learn/network.hpp"
#include "mercer/core/parallel.hpp"

namespace mercer::learn {

/// Runs work(0) and work(1), side by side where there are two threads. Updates are always cut in two, so that their
/// result does not depend on the number of threads.
template <class Work>
void both(const Work& work) {
  for_each_block(2, 1, [&work](Block block) { work(block.index); });
}

inline Columns half_of(Index size, std::size_t half) {
  const Index middle = size / 2;
  return half == 0 ? Columns{0, middle} : Columns{middle, size - middle};
}

}  // namespace mercer::learn

// The same loop without the race: nothing may be reported, neither in the bodies nor between them and what stands
// before and after the loop.

#include <cstdio>
#include <vector>

#include "mercer/parallel.hpp"

int main() {
  std::vector<long> sums(64);
  for (int round = 0; round < 50; ++round) {
    for (long& sum : sums) sum += round;
    mercer::for_each_block(sums.size(), 1, [&](mercer::Block block) { sums[block.begin] += 1; });
  }
  long total = 0;
  for (const long sum : sums) total += sum;
  std::printf("%ld\n", total);
  return total == 64 * (50 + 49 * 50 / 2) ? 0 : 1;
}

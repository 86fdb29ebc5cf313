// Loop bodies that race on purpose. Under the thread sanitizer, with the suppressions that forgive oneTBB's inside,
// this must be reported: otherwise the suppressions hide real races too.

#include <cstdio>
#include <latch>

#include "mercer/parallel.hpp"

int main() {
  long shared = 0;
  std::latch both(2);  // the two bodies are on two threads at once, whatever the machine is doing
  mercer::for_each_block(2, 1, [&](mercer::Block) {
    both.arrive_and_wait();
    for (int i = 0; i < 1000; ++i) shared += 1;
  });
  std::printf("%ld\n", shared);
}

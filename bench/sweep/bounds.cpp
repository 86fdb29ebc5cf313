// How often each bound on the difference of two policies fails, and how loose it is: over random processes with up to
// 20 states and 6 actions. Prints a table for docs/guarantees.md.
//
//     mercer_sweep_bounds [pairs, default 5000] [seed, default 1]

#include <chrono>
#include <cstdlib>

#include <fmt/core.h>

#include "support/bound_sweep.hpp"

namespace {

double seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void print(mercer::BoundTallies& tallies, mercer::Level level) {
  for (auto& [name, tally] : tallies) {
    if (tally.level != level || tally.applicable == 0) continue;
    fmt::print("| {} | {} | {} | {} | {:.3g} | {} |\n", name, tally.applicable, tally.vacuous, tally.violations,
               tally.median(), tally.wins);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t pairs = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 5000;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  const double begin = seconds();
  mercer::BoundTallies tallies = mercer::sweep_bounds(seed, pairs);
  const double spent = seconds() - begin;
  std::size_t broken = 0;
  for (const auto& [name, tally] : tallies) broken += tally.level == mercer::Level::paper ? 0 : tally.violations;
  fmt::print("| id | applicable | no better than trivial | violations | median bound / true | least |\n");
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  for (const mercer::Level level : {mercer::Level::exact, mercer::Level::rigorous, mercer::Level::paper})
    print(tallies, level);
  fmt::print("\n{} pairs, seed {}, {:.1f} s on {} threads; violations of rigorous and exact rows: {}\n", pairs, seed,
             spent, mercer::thread_count(), broken);
  return broken == 0 ? 0 : 1;
}

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "mercer/parallel.hpp"

namespace mercer {

/// The machine that this runs on.
struct Machine {
  std::string cpu;               ///< its name; empty where the system does not say
  std::size_t threads = 0;       ///< that loops use
  std::size_t memory_bytes = 0;  ///< 0 where the system does not say
};
Machine this_machine();

/// Something that Mercer can use and does without otherwise.
struct OptionalPart {
  std::string name;
  bool found = false;
  std::string use;  ///< what it is for
  std::string how;  ///< where it was found, or how to get it
};
/// Simulators of this build, compilers and emulators on the PATH.
std::vector<OptionalPart> optional_parts();

/// One check of a self-test.
struct Check {
  enum class State { passed, failed, skipped };
  std::string name;
  State state = State::passed;
  std::string detail;
  double seconds = 0;
};
/// Plays, trains, embeds, certifies, stores and exports something small, and compares with what must come out. Takes a
/// second or two; after `most_seconds` no further check is begun. Works in a temporary folder, which it removes. Throws
/// `interrupted`.
std::vector<Check> self_test(const std::function<void(const Check&)>& sink = {}, const Progress& progress = {},
                             double most_seconds = 10);

}  // namespace mercer

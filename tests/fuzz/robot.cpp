#include "env/mujoco/robot.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "mercer/error.hpp"

// libFuzzer calls this with text of its own making. Whatever it is, reading it ends in the description of a robot or in
// an Error; the sanitizers watch how.

namespace {

std::size_t described = 0;

// FUZZ_LEAST is how many inputs must have been descriptions: a fuzzer that never gets past the parser finds nothing.
void report() {
  const char* const least = std::getenv("FUZZ_LEAST");
  std::fprintf(stderr, "fuzz_robot: %zu inputs were descriptions\n", described);
  if (least != nullptr && described < std::strtoull(least, nullptr, 10)) {
    std::fprintf(stderr, "fuzz_robot: fewer than %s\n", least);
    std::_Exit(3);
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  std::atexit(report);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    mercer::read_robot({reinterpret_cast<const char*>(data), size}, "fuzz.toml",
                       [](const std::string&, bool standard) { return standard; });
    ++described;
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

#include "env/mujoco/robot.hpp"

#include <cstdint>
#include <string_view>

#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "mercer/error.hpp"

// libFuzzer calls this with text of its own making. Whatever it is, reading it ends in the description of a robot or in
// an Error; the sanitizers watch how.

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_robot", "were descriptions");
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    mercer::read_robot({reinterpret_cast<const char*>(data), size}, "fuzz.toml",
                       [](const std::string&, bool standard) { return standard; });
    reached({data, size});
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed,
                     [](const std::string& input, FuzzRandom& random) { return mutated_toml(input, {}, random); });
}

#include "io/toml.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "io/documents.hpp"
#include "mercer/error.hpp"
#include "policy/files.hpp"

// libFuzzer calls this with text of its own making. Whatever it is, reading it ends in settings or in an Error; the
// sanitizers watch how.

namespace {

std::size_t of_policies = 0;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_toml", "were settings", [] { return fmt::format(", of policies {}", of_policies); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  try {
    mercer::read_toml(file.path(), true);
    reached({data, size});
    mercer::read_settings(file.path());
    ++of_policies;
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed,
                     [](const std::string& input, FuzzRandom& random) { return mutated_toml(input, {}, random); });
}

#include "run/sweep.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "mercer/error.hpp"

// libFuzzer calls this with text of its own making. Whatever it is, reading it ends in the file of a sweep or in an
// Error; the sanitizers watch how. A small sweep is planned, and its values are checked.

namespace {

std::size_t planned = 0, checked = 0;

const std::vector<mercer::SweepStage>& stages() {
  static const std::vector<mercer::SweepStage> all = mercer::sweep_stages();
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  stages();
  count_reached("fuzz_sweep", "were files of sweeps",
                [] { return fmt::format(", {} planned, {} with legal values", planned, checked); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  try {
    const mercer::SweepFile read = mercer::read_sweep_file(file.path(), stages());
    reached({data, size});
    std::size_t cells = 1;
    for (const mercer::SweepAxis& axis : read.axes) cells *= std::min<std::size_t>(axis.steps, 1000);
    if (cells > 1000) return 0;  // nothing new, and slow
    const mercer::SweepPlan plan = mercer::plan_sweep(file.path(), stages(), ".");
    ++planned;
    mercer::check_sweep_values(plan);
    ++checked;
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static const std::vector<std::string> words{"\"@train\"",
                                              "\"@embed\"",
                                              "\"@rollout:kind=greedy\"",
                                              "\"pendulum\"",
                                              "\"chain:n=5\"",
                                              "\"dct\"",
                                              "[\"dct\", \"svd\"]",
                                              "[1, 2]",
                                              "[\"embed.basis, embed.k\"]",
                                              "\"uniform\"",
                                              "[0]"};
  static const std::vector<std::string> all = [] {
    std::vector<std::string> out = words;
    for (const mercer::SweepStage& stage : stages()) out.push_back("\"" + stage.name + "\"");
    return out;
  }();
  return fuzz_mutate(data, size, most, seed, [](const std::string& input, FuzzRandom& random) -> std::string {
    std::string text = mutated_toml(input, all, random);
    if (random() % 4 != 0) return text;
    const mercer::SweepStage& stage = one_of(stages(), random);  // one more setting, which is known
    if (stage.settings.empty()) return text;
    return text + fmt::format("[{}]\n{} = {}\n", stage.name, one_of(stage.settings, random), one_of(all, random));
  });
}

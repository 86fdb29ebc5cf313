#include "io/safetensors.hpp"

#include <cstdint>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "mercer/error.hpp"
#include "policy/from_network.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in tensors or in an Error;
// the sanitizers watch how. What was read is taken for a snapshot of a training.

namespace {

std::size_t snapshots = 0;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_safetensors", "were tensors", [] { return ", of them snapshots " + std::to_string(snapshots); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const mercer::Safetensors file =
        mercer::parse_safetensors(std::as_bytes(std::span(data, size)), "fuzz.safetensors");
    reached({data, size});
    for (const auto& [name, array] : file.tensors) array.as_doubles();
    const MemoryFile again({data, size});
    mercer::read_snapshot(again.path(), false);
    ++snapshots;
    mercer::read_snapshot(again.path(), true);
    mercer::read_snapshot_critics(again.path());
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

// The header is changed as a document, and its length goes with it.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, [](const std::string& input, FuzzRandom& random) -> std::string {
    if (input.size() < 8) return {};
    std::uint64_t length = 0;
    for (std::size_t i = 8; i-- > 0;) length = length << 8 | static_cast<unsigned char>(input[i]);
    if (length > input.size() - 8) return {};
    std::string numbers = input.substr(8 + length);
    try {
      auto header = nlohmann::ordered_json::parse(input.substr(8, length));
      const auto inner = header.find("__metadata__");
      if (random() % 8 == 0) {
        numbers = mutated_bytes(numbers);
      } else if (inner != header.end() && inner->contains("mercer") && random() % 2 == 0) {
        auto manifest = nlohmann::ordered_json::parse((*inner)["mercer"].get<std::string>());
        mutate_json(manifest, random);
        (*inner)["mercer"] = manifest.dump();
      } else {
        mutate_json(header, random);
      }
      const std::string text = header.dump();
      std::string out;
      for (std::size_t i = 0; i < 8; ++i) out += static_cast<char>(text.size() >> (8 * i) & 255);
      return out + text + numbers;
    } catch (const std::exception&) {
      return {};
    }
  });
}

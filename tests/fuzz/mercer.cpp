#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "embed/payload/digests.hpp"
#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "io/documents.hpp"
#include "io/safetensors.hpp"
#include "mercer/error.hpp"
#include "mercer/export.hpp"
#include "mercer/file.hpp"
#include "mercer/warning.hpp"

// libFuzzer calls this with bytes of its own making. Whatever they are, reading them ends in an embedding or in an
// Error; the sanitizers watch how. An embedding that was read acts and is exported.

namespace {

using json = nlohmann::ordered_json;

std::size_t lattices = 0, continuous = 0, certified = 0, acted = 0;

void act(const mercer::Policy& policy) {
  constexpr std::size_t columns = 3;
  constexpr std::array values{0.0, 0.7, -1e30};
  const std::size_t in = policy.observation_dimensions(), out = policy.action_space().dimensions();
  if (in > 1000 || out > 1000) return;  // nothing new, and slow
  std::vector<double> observation(in * columns), action(out * columns);
  for (std::size_t i = 0; i < observation.size(); ++i) observation[i] = values[i % columns];
  policy.mean_action({observation.data(), in, columns}, {action.data(), out, columns});
  ++acted;
}

void use(const mercer::EmbeddingFile& file) {
  ++(file.embedding.is_lattice() ? lattices : continuous);
  certified += file.certificate.has_value();
  act(file.embedding.policy());
  if (file.certificate) mercer::certificate_page(*file.certificate);
  if (file.embedding.payload().size() < 4096) {
    mercer::export_json(file);
    mercer::export_c(file, {});
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  mercer::set_warning_sink([](const std::string&) {});
  count_reached("fuzz_mercer", "were embeddings", [] {
    return fmt::format(", {} lattices and {} continuous, {} certified; {} acted", lattices, continuous, certified,
                       acted);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  try {
    const mercer::EmbeddingFile read = mercer::read_embedding(file.path());
    reached({data, size});
    use(read);
  } catch (const mercer::Error&) {
    return 0;
  }
  return 0;
}

// Payload and manifest are changed apart, and sealed again: digests keep all else out.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, [](const std::string& input, FuzzRandom& random) -> std::string {
    try {
      mercer::Safetensors file = mercer::parse_safetensors(std::as_bytes(std::span(input)), "fuzz.mercer");
      json manifest = json::parse(file.metadata.at("mercer"));
      auto& payload = file.tensors.at("payload").data;
      if (random() % 2 == 0) {
        const std::string bytes(reinterpret_cast<const char*>(payload.data()), payload.size());
        const std::string changed = mutated_bytes(bytes, 32);
        const auto view = std::as_bytes(std::span(changed));
        payload.assign(view.begin(), view.end());
        file.tensors.at("payload").shape = {payload.size()};
      } else {
        mutate_json(manifest, random);
      }
      for (const char* key : {"digests", "signature", "checksum"}) manifest.erase(key);
      const std::array<std::span<const std::byte>, 1> parts{payload};
      file.metadata["mercer"] = mercer::seal(manifest, parts, std::nullopt);
      std::string out = mercer::safetensors_head(file);
      return out.append(reinterpret_cast<const char*>(payload.data()), payload.size());
    } catch (const std::exception&) {
      return {};
    }
  });
}

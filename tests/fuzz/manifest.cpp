#include <cstdint>
#include <string>

#include <fmt/format.h>

#include "fuzz/memory_file.hpp"
#include "fuzz/mutate.hpp"
#include "fuzz/reached.hpp"
#include "io/documents.hpp"
#include "measure/certificate_json.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/mdp.hpp"
#include "policy/files.hpp"

// libFuzzer calls this with text of its own making. Whatever it is, reading it ends in what a JSON document of Mercer
// describes or in an Error; the sanitizers watch how. A document is taken for a finite process, and what it holds under
// "contract" and "certificate" for those.

namespace {

std::size_t processes = 0, contracts = 0, certificates = 0;

template <class Read>
void attempt(std::size_t& count, const Read& read) {
  try {
    read();
    ++count;
  } catch (const mercer::Error&) {
    return;
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  count_reached("fuzz_manifest", "were JSON", [] {
    return fmt::format(", of them processes {}, contracts {}, certificates {}", processes, contracts, certificates);
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  nlohmann::json document;
  try {
    document = mercer::read_json(file.path());
  } catch (const mercer::Error&) {
    return 0;
  }
  reached({data, size});
  attempt(processes, [&] { mercer::make_env("tabular:" + file.path().string()); });
  if (!document.is_object()) return 0;
  if (document.contains("contract")) {
    attempt(contracts, [&] { mercer::contract_from_json(document["contract"], "fuzz.mercer"); });
  }
  if (document.contains("certificate")) {
    attempt(certificates, [&] {
      const mercer::Certificate certificate = mercer::certificate_from_json(document["certificate"], "fuzz.mercer");
      mercer::certificate_page(certificate);
      mercer::to_json(certificate);
    });
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return fuzz_mutate(data, size, most, seed, [](const std::string& input, FuzzRandom& random) -> std::string {
    try {
      auto document = nlohmann::ordered_json::parse(input);
      for (auto changes = random() % 2; changes < 2; ++changes) mutate_json(document, random);
      return document.dump();
    } catch (const std::exception&) {
      return {};
    }
  });
}

#pragma once

#include <string>
#include <vector>

#include "support/agent_writer.hpp"

/// Inputs of fuzz_agents. Checksums keep flipped bytes out of zip files, so most inputs hold what goes into one, part
/// after part, each behind its size; the fuzzer puts the zip around them.
///
/// The first byte says what follows: 'z' an agent's zip as it is, 't' a file of torch.save as it is, 'n' a normaliser,
/// 'p' a description, a list of tensors and two storages, 'l' a description and a file of torch's legacy layout, 'd' a
/// state_dict in that layout, 'm' parameters of flax, 's' a tree of TorchScript modules, the code of its classes and
/// two storages.
inline std::string fuzz_parts(char kind, const std::vector<std::string>& parts) {
  std::string out(1, kind);
  for (const std::string& part : parts) out += little(part.size(), 2) + part;
  return out;
}

/// The parts again; sizes that reach too far are cut.
inline std::vector<std::string> fuzz_split(std::string_view input) {
  std::vector<std::string> parts;
  while (input.size() >= 2) {
    const std::size_t size =
        static_cast<unsigned char>(input[0]) | static_cast<std::size_t>(static_cast<unsigned char>(input[1])) << 8;
    input.remove_prefix(2);
    parts.emplace_back(input.substr(0, size));
    input.remove_prefix(parts.back().size());
  }
  return parts;
}

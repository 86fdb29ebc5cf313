#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercer/file.hpp"

namespace mercer {

/// The payload of an embedding in parts anywhere in memory, and what its manifest states about it.
struct PayloadParts {
  std::vector<std::span<const std::byte>> parts;
  Route route = Route::lattice;
  std::string basis;
  std::size_t k = 0;
  ParameterCount parameters;
  double energy = 0;
  Contract contract;
  std::optional<EdgeAccuracy> edges;
};

/// What `write_embedding` does, for a payload that need not be decoded first.
void write_payload(const std::filesystem::path& path, const PayloadParts& payload, const EmbeddingOrigin& origin,
                   const std::optional<Certificate>& certificate = {}, const std::optional<SigningKey>& key = {});

}  // namespace mercer

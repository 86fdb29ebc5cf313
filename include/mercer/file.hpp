#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "mercer/certificate.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// Where an embedding comes from: written beside it, changes nothing about how it acts.
struct EmbeddingOrigin {
  std::string env;                              ///< the task, as it was asked for
  std::string teacher;                          ///< the policy that was embedded, as it was asked for
  std::uint64_t seed = 0;                       ///< of the rollouts
  std::map<std::string, std::string> settings;  ///< how it was made
  std::string teacher_sha256 = {};              ///< of the teacher's file; empty where it is none, or not known
  std::string folder = {};  ///< where relative paths start, as seen from the folder of the embedding's file
};

/// How far the edges of a lattice may be from those of the data, where they come from sketches.
struct EdgeAccuracy {
  std::uint64_t steps = 0;   ///< data of each dimension
  double rank_error = 0;     ///< share of them: no edge is off by more ranks, with a confidence of 99% for all together
  double certain_error = 0;  ///< the same for certain
};

/// An embedding and what its file says about it.
struct EmbeddingFile {
  Embedding embedding;
  EmbeddingOrigin origin;
  std::uintmax_t bytes = 0;                ///< of the file
  std::optional<Certificate> certificate;  ///< if it was certified
  std::optional<EdgeAccuracy> edges{};     ///< if sketches made its edges
};

/// Writes a safetensors file: the uint8 tensor `payload` and a manifest (format 1) with the contract in its metadata. A
/// path leads nowhere once files have moved: where the teacher is a file, its SHA-256 is written unless it was given.
void write_embedding(const std::filesystem::path& path, const Embedding& embedding, const EmbeddingOrigin& origin,
                     const std::optional<Certificate>& certificate = {});

/// The embedding that `read_embedding` would return: decoded from its bytes, so that what is measured is what is
/// stored.
Embedding decoded(const Embedding& embedding, const std::string& name, const Acting& acting = {});

/// Reads it back, to the same bits. Throws `bad_format` for a newer format or what is no embedding, `corrupt_file` for
/// damage.
EmbeddingFile read_embedding(const std::filesystem::path& path, const Acting& acting = {});

/// Puts a certificate into the file of an embedding, in the place of one that is there. Nothing else changes, and the
/// file is replaced whole or not at all.
void add_certificate(const std::filesystem::path& path, const Certificate& certificate);

}  // namespace mercer

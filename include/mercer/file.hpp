#pragma once

#include <array>
#include <cstdint>
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

/// A private key that signs files: Ed25519, read by `read_signing_key`.
struct SigningKey {
  std::string file;  ///< where it was read
  std::array<std::uint8_t, 32> secret{};
};
/// Reads a PEM file as 'openssl genpkey -algorithm ed25519' writes it. Throws `cannot_open`, and `bad_format` for a key
/// that is public, encrypted or of another algorithm.
SigningKey read_signing_key(const std::filesystem::path& path);

/// A file's signature, which was checked against the public key in the file. Whose key that is, only
/// `require_signature` can say.
struct Signature {
  std::string algorithm;    ///< "ed25519"
  std::string fingerprint;  ///< SHA-256 of the public key's DER form
};

/// An embedding and what its file says about it.
struct EmbeddingFile {
  Embedding embedding;
  EmbeddingOrigin origin;
  std::uintmax_t bytes = 0;                ///< of the file
  std::optional<Certificate> certificate;  ///< if it was certified
  std::optional<EdgeAccuracy> edges{};     ///< if sketches made its edges
  bool verified = true;  ///< made here, or read with digests that match; false for a file of version 0.1, without any
  std::optional<Signature> signature{};  ///< if the file is signed
};

/// Writes a safetensors file: the uint8 tensor `payload` and a manifest (format 2) with contract, provenance,
/// certificate and digests in its metadata; docs/reference/files.md describes it. A path leads nowhere once files have
/// moved: where the teacher is a file, its SHA-256 is written unless it was given. `key` signs the file.
void write_embedding(const std::filesystem::path& path, const Embedding& embedding, const EmbeddingOrigin& origin,
                     const std::optional<Certificate>& certificate = {}, const std::optional<SigningKey>& key = {});

/// The embedding that `read_embedding` would return: decoded from its bytes, so that what is measured is what is
/// stored.
Embedding decoded(const Embedding& embedding, const std::string& name, const Acting& acting = {});

/// Reads it back, to the same bits. Throws `bad_format` for a newer format or what is no embedding, `corrupt_file` for
/// any byte that changed since the file was written, with the part that it belongs to. A file of version 0.1 (format 1)
/// has no digests to check: it is read with a warning, `verified` is false, and its certificate says so.
EmbeddingFile read_embedding(const std::filesystem::path& path, const Acting& acting = {});

/// Throws `bad_format` unless the file is signed with the private half of the key in `public_key`, a PEM file as
/// 'openssl pkey -pubout' writes it. `path` is the file's name in errors.
void require_signature(const EmbeddingFile& file, const std::filesystem::path& path,
                       const std::filesystem::path& public_key);

/// Whether the digests were checked, as a sentence for people.
std::string verification_text(const EmbeddingFile& file);

/// Puts a certificate into the file of an embedding, in the place of one that is there, with new digests. Payload,
/// contract and provenance stay; a file that does not match its digests is refused. A signature is of the file before:
/// `key` signs anew, and without a key it is dropped with a warning. The file is replaced whole or not at all.
void add_certificate(const std::filesystem::path& path, const Certificate& certificate,
                     const std::optional<SigningKey>& key = {});

}  // namespace mercer

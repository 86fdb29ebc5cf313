#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "mercer/certificate.hpp"
#include "mercer/file.hpp"

namespace mercer {

/// An embedding, and the SHA-256 of the bytes that it was read from: in one go, as a file may be replaced in between.
struct CertifiedFile {
  EmbeddingFile file;
  std::string sha256;
};
CertifiedFile read_to_certify(const std::filesystem::path& path);

/// As `add_certificate`, for a certificate that is about the file with this SHA-256: another one under its name is
/// refused with `cannot_write`.
void add_certificate_to(const std::filesystem::path& path, const std::string& sha256, const Certificate& certificate,
                        const std::optional<SigningKey>& key);

}  // namespace mercer

#include "io/sha256.hpp"

#include <array>
#include <cerrno>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <unistd.h>

#include "io/ordinary.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// OpenSSL fails where its configuration offers no SHA-256, or where memory runs out.
void must(bool done) {
  if (done) return;
  throw Error(ErrorCode::cannot_open, "OpenSSL cannot compute SHA-256",
              "Check that openssl.cnf activates a provider with SHA-256");
}

class Sha256 {
 public:
  Sha256() { must(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1); }

  void add(std::span<const std::byte> bytes) {
    must(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
  }

  std::string finish() {
    std::array<unsigned char, 32> digest{};
    must(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
    std::string text;
    for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string sha256(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.finish();
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256(std::span<const std::span<const std::byte>> parts) {
  Sha256 hash;
  for (const std::span<const std::byte> part : parts) hash.add(part);
  return hash.finish();
}

std::string sha256_of(int descriptor) {
  Sha256 hash;
  std::vector<std::byte> piece(1 << 16);
  for (;;) {
    const ssize_t got = ::read(descriptor, piece.data(), piece.size());
    if (got == 0) return hash.finish();
    if (got < 0 && errno != EINTR) return {};
    if (got > 0) hash.add(std::span(piece).first(static_cast<std::size_t>(got)));
  }
}

std::string sha256_file(const std::filesystem::path& path) {
  const OrdinaryFile file(path);
  std::string digest = sha256_of(file.descriptor());
  if (digest.empty()) {
    throw Error(ErrorCode::cannot_open, fmt::format("cannot read '{}'", path.string()),
                "Check that it exists and may be read");
  }
  return digest;
}

}  // namespace mercer

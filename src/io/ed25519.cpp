#include "io/ed25519.hpp"

#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/sha256.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

constexpr std::size_t key_bytes = 32, signature_bytes = 64;
constexpr std::size_t most_key_file = limits::key_bytes;

void must(bool done) {
  if (done) return;
  throw Error(ErrorCode::cannot_open, "OpenSSL cannot compute Ed25519",
              "Check that openssl.cnf activates a provider with Ed25519");
}

[[noreturn]] void refuse(const std::filesystem::path& path, std::string_view what, std::string remedy) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}' {}", path.string(), what), std::move(remedy));
}

std::string to_hex(std::span<const std::uint8_t> bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

// Digits in lower case alone, so that one signature has one text.
std::optional<std::vector<std::uint8_t>> from_hex(std::string_view text, std::size_t bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  if (text.size() != 2 * bytes || text.find_first_not_of(digits) != std::string_view::npos) return std::nullopt;
  std::vector<std::uint8_t> out;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(16 * digits.find(text[i]) + digits.find(text[i + 1])));
  }
  return out;
}

// Without a callback OpenSSL asks for the passphrase on the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

using Reader = EVP_PKEY* (*)(BIO*, EVP_PKEY**, pem_password_cb*, void*);

Key parse_pem(const std::string& text, Reader read) {
  const std::unique_ptr<BIO, Free> bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  must(bio != nullptr);
  Key key(read(bio.get(), nullptr, no_passphrase, nullptr));
  ERR_clear_error();  // Python's ssl module would take what is left there for its own
  return key;
}

void require_ed25519(const std::filesystem::path& path, const Key& key) {
  if (EVP_PKEY_base_id(key.get()) == EVP_PKEY_ED25519) return;
  refuse(path, "holds a key of another algorithm than Ed25519",
         "Make a key with 'openssl genpkey -algorithm ed25519 -out key.pem'");
}

Key public_key(std::span<const std::uint8_t> bytes) {
  return Key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes.data(), bytes.size()));
}

std::string hex_of_public(const Key& key) {
  std::array<std::uint8_t, key_bytes> bytes{};
  std::size_t size = bytes.size();
  must(EVP_PKEY_get_raw_public_key(key.get(), bytes.data(), &size) == 1 && size == bytes.size());
  return to_hex(bytes);
}

}  // namespace

Ed25519Secret read_private_key(const std::filesystem::path& path) {
  const std::string text = read_text(path, most_key_file);
  const Key key = parse_pem(text, PEM_read_bio_PrivateKey);
  if (!key && text.find("ENCRYPTED") != std::string::npos) {
    refuse(path, "holds an encrypted key", "Decrypt it with 'openssl pkey -in key.pem -out plain.pem' and give that");
  }
  if (!key && parse_pem(text, PEM_read_bio_PUBKEY)) {
    refuse(path, "holds a public key, and signing needs the private one",
           "Give the file that the public key came from");
  }
  if (!key) {
    refuse(path, "holds no private key in PEM form", "Make one with 'openssl genpkey -algorithm ed25519 -out key.pem'");
  }
  require_ed25519(path, key);
  Ed25519Secret secret{};
  std::size_t size = secret.size();
  must(EVP_PKEY_get_raw_private_key(key.get(), secret.data(), &size) == 1 && size == secret.size());
  return secret;
}

std::string read_public_key(const std::filesystem::path& path) {
  const std::string text = read_text(path, most_key_file);
  const Key key = parse_pem(text, PEM_read_bio_PUBKEY);
  if (!key) {
    const bool secret = text.find("PRIVATE KEY") != std::string::npos;
    refuse(path, secret ? "holds a private key, and checking needs the public one" : "holds no public key in PEM form",
           "Make it with 'openssl pkey -in key.pem -pubout -out key.pub'");
  }
  require_ed25519(path, key);
  return hex_of_public(key);
}

Ed25519Signature sign_text(const Ed25519Secret& secret, std::string_view text) {
  const Key key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, secret.data(), secret.size()));
  const Context context(EVP_MD_CTX_new());
  must(key && context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1);
  std::array<std::uint8_t, signature_bytes> value{};
  std::size_t size = value.size();
  must(EVP_DigestSign(context.get(), value.data(), &size, reinterpret_cast<const unsigned char*>(text.data()),
                      text.size()) == 1);
  return {hex_of_public(key), to_hex(value)};
}

bool is_signed(const Ed25519Signature& signature, std::string_view text) {
  const auto bytes = from_hex(signature.key, key_bytes), value = from_hex(signature.value, signature_bytes);
  if (!bytes || !value) return false;
  const Key key = public_key(*bytes);
  const Context context(EVP_MD_CTX_new());
  must(context != nullptr);
  if (!key || EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1) return false;
  const int good = EVP_DigestVerify(context.get(), value->data(), value->size(),
                                    reinterpret_cast<const unsigned char*>(text.data()), text.size());
  ERR_clear_error();
  return good == 1;
}

std::string key_fingerprint(const std::string& key) {
  const auto bytes = from_hex(key, key_bytes);
  const Key made = bytes ? public_key(*bytes) : nullptr;
  unsigned char* der = nullptr;
  const int size = made ? i2d_PUBKEY(made.get(), &der) : -1;
  const std::unique_ptr<unsigned char, void (*)(unsigned char*)> owner(der, [](unsigned char* p) { OPENSSL_free(p); });
  must(size > 0);
  return sha256(std::as_bytes(std::span(der, static_cast<std::size_t>(size))));
}

}  // namespace mercer

#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace mercer {

/// A private key of Ed25519 (RFC 8032), as it stands in a file.
using Ed25519Secret = std::array<std::uint8_t, 32>;

/// A signature and the public key that it belongs to, as 128 and 64 hexadecimal digits in lower case.
struct Ed25519Signature {
  std::string key;
  std::string value;
};

/// The private key in a PEM file (PKCS#8), as 'openssl genpkey -algorithm ed25519' writes it. Throws `cannot_open`, and
/// `bad_format` for anything else: no PEM, another algorithm, a public or an encrypted key.
Ed25519Secret read_private_key(const std::filesystem::path& path);
/// The public key in a PEM file (SubjectPublicKeyInfo), as 'openssl pkey -pubout' writes it: 64 hexadecimal digits.
/// Throws as above.
std::string read_public_key(const std::filesystem::path& path);

/// Deterministic: the same key and text give the same signature.
Ed25519Signature sign_text(const Ed25519Secret& secret, std::string_view text);
/// False also for a key or a value that is not made of as many digits as it should.
bool is_signed(const Ed25519Signature& signature, std::string_view text);

/// SHA-256 of the public key's DER form, which 'openssl pkey -pubin -outform DER | sha256sum' shows.
std::string key_fingerprint(const std::string& key);

}  // namespace mercer

#include "io/ed25519.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/keys.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// RFC 8032, section 7.1, test 1.
constexpr const char* public_key = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
constexpr const char* of_nothing =
    "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
    "d25bf5f0595bbe24655141438e7a100b";

TEST(Ed25519, signs_as_the_standard_does) {
  const TemporaryFolder folder;
  write_bytes(folder / "key.pem", test_private_key);
  write_bytes(folder / "key.pub", test_public_key);
  const Ed25519Signature made = sign_text(read_private_key(folder / "key.pem"), "");
  EXPECT_EQ(made.value, of_nothing);
  EXPECT_EQ(made.key, public_key);
  EXPECT_EQ(read_public_key(folder / "key.pub"), public_key);
  EXPECT_TRUE(is_signed(made, ""));
  EXPECT_FALSE(is_signed(made, "a"));
  // By 'openssl pkey -pubin -in key.pub -outform DER | sha256sum'.
  EXPECT_EQ(key_fingerprint(made.key), "06e3fd8fda29bb60ab59557de61edb0aecdb231134be30e75b455f8e1b792fa9");
}

TEST(Ed25519, takes_no_other_text_for_the_same_signature) {
  const Ed25519Signature good{public_key, of_nothing};
  for (std::size_t i = 0; i < good.value.size(); ++i) {
    Ed25519Signature bad = good;
    bad.value[i] = bad.value[i] == '0' ? '1' : '0';
    EXPECT_FALSE(is_signed(bad, "")) << i;
  }
  for (std::size_t i = 0; i < good.key.size(); ++i) {
    Ed25519Signature bad = good;
    bad.key[i] = bad.key[i] == '0' ? '1' : '0';
    EXPECT_FALSE(is_signed(bad, "")) << i;
  }
  EXPECT_FALSE(is_signed({public_key, ""}, ""));
  EXPECT_FALSE(is_signed({"", of_nothing}, ""));
  EXPECT_FALSE(is_signed({public_key, std::string(of_nothing) + "00"}, ""));
  std::string capitals = of_nothing;
  for (char& c : capitals) c = static_cast<char>(std::toupper(c));
  EXPECT_FALSE(is_signed({public_key, capitals}, ""));
}

TEST(Ed25519, says_what_is_wrong_with_a_key) {
  const TemporaryFolder folder;
  const auto file = folder / "key";
  const auto refused = [&](const std::string& text, const std::string& part, const std::string& of_public) {
    write_bytes(file, text);
    if (!part.empty()) expect_error(ErrorCode::bad_format, part, [&] { read_private_key(file); });
    if (!of_public.empty()) expect_error(ErrorCode::bad_format, of_public, [&] { read_public_key(file); });
  };
  expect_error(ErrorCode::cannot_open, "cannot open", [&] { read_private_key(folder / "none"); });
  expect_error(ErrorCode::cannot_open, "cannot open", [&] { read_public_key(folder / "none"); });
  refused("not a key", "no private key in PEM form", "no public key in PEM form");
  refused("", "no private key in PEM form", "no public key in PEM form");
  refused("-----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY-----\n", "no private key in PEM form", "");
  refused(test_public_key, "public key, and signing needs the private one", "");
  refused(test_private_key, "", "private key, and checking needs the public one");
  refused(
      "-----BEGIN PRIVATE KEY-----\n"
      "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghzSrY+9LZjVUu5KT\n"
      "9ox8jsc0cBIAcGsjICzrrzykDpGhRANCAAQlChY7XzIx8q3juW5ULJPfJImvHsvM\n"
      "IjSeBPGAxif8dGNkKfWs8isV210sFvCjAeBx2bxQZpvmIjfp6CwNVa5L\n"
      "-----END PRIVATE KEY-----\n",
      "another algorithm than Ed25519", "");
  refused(
      "-----BEGIN PUBLIC KEY-----\n"
      "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEJQoWO18yMfKt47luVCyT3ySJrx7L\n"
      "zCI0ngTxgMYn/HRjZCn1rPIrFdtdLBbwowHgcdm8UGab5iI36egsDVWuSw==\n"
      "-----END PUBLIC KEY-----\n",
      "", "another algorithm than Ed25519");
  refused(
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
      "MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi7pxc/hMsT1AICCAAw\n"
      "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEP/Qi/IpXqzrefZ6Gn6wow4EQCR7\n"
      "sHenUUvt/jgRGln+mSk4Z6MVYUYPf5pge/jG7ejq3fdVBgw2YtS4pYt6KRyDcWZF\n"
      "LExc5dDX3aOX+SUt+TY=\n"
      "-----END ENCRYPTED PRIVATE KEY-----\n",
      "encrypted key", "");
}

}  // namespace
}  // namespace mercer

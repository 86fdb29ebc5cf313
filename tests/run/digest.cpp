#include <fstream>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "run/store.hpp"

namespace mercer {
namespace {

// FIPS 180-4, examples of the Secure Hash Standard.
TEST(Digest, KnownVectors) {
  EXPECT_EQ(sha256(std::string_view()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1'000'000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Digest, OfAFileIsThatOfItsBytes) {
  const auto file = std::filesystem::path(testing::TempDir()) / "digest.bin";
  const std::string text(200'001, 'x');
  std::ofstream(file) << text;
  EXPECT_EQ(sha256_file(file), sha256(text));
  std::filesystem::remove(file);
  EXPECT_THROW(sha256_file(file), Error);
}

TEST(Digest, OneSpellingOfADocument) {
  EXPECT_EQ(canonical_json(R"({"b": [1.0, 2.5], "a": {"d": -3.0, "c": null}})"),
            R"({"a":{"c":null,"d":-3},"b":[1,2.5]})");
  EXPECT_EQ(canonical_json("{\"a\": 1,\n \"b\": 1e3}"), canonical_json("{\"b\": 1000, \"a\": 1.0}"));
  EXPECT_NE(canonical_json(R"({"a": 1})"), canonical_json(R"({"a": "1"})"));
  EXPECT_THROW(canonical_json("{a: 1}"), Error);
  EXPECT_THROW(canonical_json("[1e999]"), Error);
}

TEST(Digest, TellsProgramAndLibraryApart) {
  EXPECT_EQ(library_digest(), library_digest());
  const std::string own = code_digest(reinterpret_cast<const void*>(&sha256_file));
  EXPECT_EQ(own.size(), 64u);
}

}  // namespace
}  // namespace mercer

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "support/arrays.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// Reads damaged versions of a small file and counts what came of them: the error's code, or 0 when the file still read.
// Any exception other than Error goes through and fails the test; a sanitizer build finds what a read does wrong.
class NpzDamage : public testing::Test {
 protected:
  int read(const std::string& bytes) {
    write_bytes(path_, bytes);
    try {
      last_ = read_npz(path_);
      return 0;
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
  }
  void expect_file_trouble_for_every_prefix(const std::string& whole) {
    ASSERT_EQ(read(whole), 0);
    std::map<int, int> seen;
    for (std::size_t length = 0; length < whole.size(); ++length) ++seen[read(whole.substr(0, length))];
    // Without its first four bytes nothing tells that it was an .npz; from then on it is one that was cut short.
    EXPECT_EQ(seen,
              (std::map<int, int>{{static_cast<int>(ErrorCode::bad_format), 4},
                                  {static_cast<int>(ErrorCode::corrupt_file), static_cast<int>(whole.size()) - 4}}));
  }
  // No damage to a single byte may change what is read: it is either noticed or without meaning (a date).
  void expect_every_flip_is_noticed_or_harmless(const std::string& whole, const std::vector<int>& masks) {
    ASSERT_EQ(read(whole), 0);
    const Arrays intact = last_;
    std::map<int, int> seen;
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const int mask : masks) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ mask);
        const int outcome = read(bytes);
        ++seen[outcome];
        EXPECT_TRUE(outcome != 0 || last_ == intact) << "byte " << at << " with " << mask;
      }
    }
    EXPECT_GT(seen[static_cast<int>(ErrorCode::corrupt_file)], 0);
    EXPECT_GT(seen[0], 0);  // the dates at least
    for (const auto& [code, count] : seen) EXPECT_TRUE(code == 0 || code / 100 == 3) << code;
  }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.npz";
  Arrays last_;
};

const std::vector<int> every_bit{1, 2, 4, 8, 16, 32, 64, 128, 255};

std::string small_file(const TemporaryFolder& folder) {
  write_npz(folder / "small.npz",
            {{"x", Array::of(std::vector<double>{1, 2}, {2})}, {"name", Array::of_text("chain")}});
  return read_bytes(folder / "small.npz");
}

std::string fixture(const std::string& name) { return read_bytes(std::string(MERCER_TEST_DATA "/npz/") + name); }

TEST_F(NpzDamage, every_prefix_is_file_trouble) { expect_file_trouble_for_every_prefix(small_file(folder_)); }

TEST_F(NpzDamage, every_prefix_of_a_compressed_file_is_file_trouble) {
  expect_file_trouble_for_every_prefix(fixture("compressed.npz"));
}

TEST_F(NpzDamage, every_flipped_bit_is_noticed_or_harmless) {
  expect_every_flip_is_noticed_or_harmless(small_file(folder_), every_bit);
}

TEST_F(NpzDamage, every_flipped_bit_of_a_compressed_file_is_noticed_or_harmless) {
  expect_every_flip_is_noticed_or_harmless(fixture("compressed.npz"), every_bit);
}

TEST_F(NpzDamage, bytes_after_the_end_are_a_comment) {
  const std::string whole = small_file(folder_);
  EXPECT_EQ(read(whole + std::string(65535, 'x')), 0);  // the longest comment a zip file can have
  EXPECT_EQ(read(whole + std::string(65536, 'x')), static_cast<int>(ErrorCode::corrupt_file));
}

}  // namespace
}  // namespace mercer

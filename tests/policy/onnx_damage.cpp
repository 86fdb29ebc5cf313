#include <algorithm>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/graph_case.hpp"

namespace mercer {
namespace {

// Files of a policy trained elsewhere, as torch exported them.
const std::vector<std::string> real_files{"cmc_sde_10000_actor.onnx", "cmc_sde_10000_critic.onnx",
                                          "cmc_sde_10000_action.onnx"};
std::string real_file(const std::string& name) { return read_bytes(std::string(MERCER_TEST_DATA "/policies/") + name); }

// What comes of a file: an error's code, or 0 when it was read and evaluated. Any other exception fails the test, and a
// sanitizer finds what a read does wrong.
int outcome(const std::string& bytes) {
  try {
    const Network network = parse_onnx(as_bytes(bytes), "damaged.onnx");
    run_network(network, Numbers(input_rows(network) * 3, 0.5), 3);
    return 0;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("damaged.onnx"), std::string::npos) << error.what();
    return static_cast<int>(error.code());
  }
}

void expect_only(const std::map<int, int>& seen, const std::vector<ErrorCode>& codes) {
  for (const auto& [code, count] : seen) {
    const bool expected = code == 0 || std::ranges::find(codes, static_cast<ErrorCode>(code)) != codes.end();
    EXPECT_TRUE(expected) << count << " times code " << code;
  }
}

TEST(OnnxDamage, real_files_are_read) {
  for (const std::string& name : real_files) EXPECT_EQ(outcome(real_file(name)), 0) << name;
}

TEST(OnnxDamage, files_cut_short_are_noticed) {
  for (const std::string& name : real_files) {
    const std::string whole = real_file(name);
    std::map<int, int> seen;
    for (std::size_t length = 0; length < whole.size(); length += 97) ++seen[outcome(whole.substr(0, length))];
    // Most cuts are inside a message of announced length; some fall between fields at the end of the file.
    expect_only(seen, {ErrorCode::corrupt_file, ErrorCode::bad_format});
    EXPECT_EQ(seen[0], 0);
    EXPECT_GT(seen[static_cast<int>(ErrorCode::corrupt_file)], 100);
  }
}

TEST(OnnxDamage, flipped_bytes_are_noticed_or_change_numbers) {
  std::mt19937 generator(2024);
  std::map<int, int> seen;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = real_file(real_files[static_cast<std::size_t>(i) % real_files.size()]);
    for (int flips = 1 + i % 4; flips > 0; --flips) {
      // Half of the flips hit the first 3000 bytes and the last 1000, where the structure is; the rest is weights.
      const std::size_t edge = generator() % 4000, anywhere = generator() % bytes.size();
      const std::size_t near = edge < 3000 ? edge : bytes.size() - 4000 + edge;
      char& byte = bytes[generator() % 2 == 0 ? near : anywhere];
      byte = static_cast<char>(byte ^ (1 << generator() % 8));
    }
    ++seen[outcome(bytes)];
  }
  expect_only(seen, {ErrorCode::corrupt_file, ErrorCode::bad_format, ErrorCode::not_finite});
  // All kinds of ends were met.
  EXPECT_GT(seen[0], 100);
  EXPECT_GT(seen[static_cast<int>(ErrorCode::corrupt_file)], 50);
  EXPECT_GT(seen[static_cast<int>(ErrorCode::bad_format)], 100);
}

TEST(OnnxDamage, other_files_are_not_networks) {
  expect_error(ErrorCode::corrupt_file, "is not an ONNX file, or is cut short",
               [] { parse_onnx(as_bytes("PK\x03\x04 a zip file"), "policy.zip"); });
  expect_error(ErrorCode::bad_format, "the file is empty", [] { parse_onnx({}, "empty.onnx"); });
  expect_error(ErrorCode::cannot_open, "gone.onnx", [] { read_onnx("/nowhere/gone.onnx"); });
}

}  // namespace
}  // namespace mercer

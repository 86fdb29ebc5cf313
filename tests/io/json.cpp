#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "io/documents.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

class Json : public testing::Test {
 protected:
  nlohmann::json read(const std::string& text) {
    write_bytes(path_, text);
    return read_json(path_);
  }
  void expect_bad(const std::string& message, const std::string& text) {
    expect_error(ErrorCode::bad_format, message, [&] { read(text); });
  }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "d.json";
};

TEST_F(Json, reads_a_document) {
  const nlohmann::json document = read(R"({"P": [[0.5, 0.5]], "name": "chain"})");
  EXPECT_EQ(document["P"][0][1], 0.5);
  EXPECT_EQ(document["name"], "chain");
}

TEST_F(Json, says_the_byte_of_the_first_mistake) {
  expect_bad("d.json' is not JSON: mistake at byte 5 of 6", "[1, x]");
  expect_bad("is not JSON: the file is empty", "");
  expect_bad("is not JSON", "[1, 2");
  expect_bad("is not JSON", "[1, 2] 3");
  expect_bad("is not JSON", "{\"a\": \"\xff\"}");  // not UTF-8
  expect_bad("is not JSON", "[NaN]");
}

TEST_F(Json, every_prefix_of_a_document_is_refused) {
  const std::string whole = R"({"P": [[0.5, 0.5e0], [true, null]], "name": "chain"})";
  for (std::size_t length = 0; length < whole.size(); ++length) expect_bad("is not JSON", whole.substr(0, length));
  EXPECT_NO_THROW(read(whole));
}

TEST_F(Json, refuses_numbers_that_no_double_can_hold) {
  expect_bad("has a number that no double can hold", "[1e999]");
  EXPECT_EQ(read("[1e-999]")[0], 0.0);  // too small is zero
}

// Code that calls itself for each bracket would run out of stack.
TEST_F(Json, is_read_down_to_its_depth) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(read(nested(limits::depth)));
  expect_bad("deeper than 64 levels", nested(limits::depth + 1));
  expect_bad("deeper than 64 levels", nested(100000));
  expect_bad("deeper than 64 levels", std::string(100000, '['));
}

TEST_F(Json, refuses_a_key_that_stands_twice) {
  write_bytes(path_, R"({"a": {"b": 1, "c": 2, "b": 3}})");
  expect_error(ErrorCode::corrupt_file, "names 'b' twice", [&] { read_json(path_); });
}

TEST_F(Json, needs_the_file) {
  expect_error(ErrorCode::cannot_open, "missing.json", [&] { read_json(folder_ / "missing.json"); });
}

}  // namespace
}  // namespace mercer

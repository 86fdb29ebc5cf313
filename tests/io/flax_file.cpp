#include "io/flax_file.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/flax_writer.hpp"

namespace mercer {
namespace {

Arrays parse(const std::string& bytes) { return parse_flax(as_bytes(bytes), "a.msgpack"); }

std::string small_file() {
  return msgpack::map(
      {{"step", msgpack::number(7)},
       {"params", msgpack::map({{"kernel", msgpack::array({{1, 2}, {1, 2}})},
                                {"half", msgpack::array({2}, "float16", little(0x3c00, 2) + little(0xc000, 2))},
                                {"wide", msgpack::array({1}, "bfloat16", little(0x3fc0, 2))},
                                {"count", msgpack::array({1}, "uint32", little(1, 4))}})},
       {"list", msgpack::list({msgpack::array({{1}, {3}}), "\xc0"})}});
}

TEST(FlaxFile, arrays_are_found_by_their_names) {
  const Arrays arrays = parse(small_file());
  ASSERT_EQ(arrays.size(), 4U);
  EXPECT_EQ(arrays.at("params.kernel").as_doubles(), (std::vector<double>{1, 2}));
  EXPECT_EQ(arrays.at("params.kernel").shape, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(arrays.at("params.half").as_doubles(), (std::vector<double>{1, -2}));
  EXPECT_EQ(arrays.at("params.wide").as_doubles(), (std::vector<double>{1.5}));
  EXPECT_EQ(arrays.at("list.0").as_doubles(), (std::vector<double>{3}));
}

TEST(FlaxFile, sizes_may_be_signed_integers) {
  const auto shaped = [](const std::string& size) {
    const std::string content =
        msgpack::list({msgpack::list({size}), msgpack::text("float32"), msgpack::bytes("1234")});
    return msgpack::map({{"a", "\xc9" + msgpack::big(content.size(), 4) + "\x01" + content}});
  };
  EXPECT_EQ(parse(shaped("\xd3" + msgpack::big(1, 8))).at("a").shape, (std::vector<std::size_t>{1}));
  EXPECT_EQ(parse(shaped("\xd0" + msgpack::big(1, 1))).at("a").shape, (std::vector<std::size_t>{1}));
  expect_error(ErrorCode::corrupt_file, "a size below 0", [&] { parse(shaped("\xd0\xff")); });
}

TEST(FlaxFile, truncation_at_every_byte_is_noticed) {
  const std::string whole = small_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    expect_error(ErrorCode::corrupt_file, "", [&] { parse(whole.substr(0, size)); });
  }
  expect_error(ErrorCode::corrupt_file, "goes on", [&] { parse(whole + "\xc0"); });
}

TEST(FlaxFile, hostile_files_are_refused) {
  const auto refused = [](ErrorCode code, const std::string& words, const std::string& bytes) {
    expect_error(code, words, [&] { parse(bytes); });
  };
  // A list of 2^32 - 1 entries, and an array of 10^9 numbers, in a few bytes.
  refused(ErrorCode::corrupt_file, "ends early", "\xdd\xff\xff\xff\xff");
  refused(ErrorCode::bad_format, "more than 100000 entries", "\xdd\xff\xff\xff\xff" + std::string(200'000, '\x01'));
  refused(ErrorCode::corrupt_file, "do not fill its shape", msgpack::array({30000, 30000}, "float32", "1234"));
  refused(ErrorCode::corrupt_file, "ends early", "\xc6\xff\xff\xff\xff");
  refused(ErrorCode::bad_format, "more than 16 levels", std::string(100'000, '\x91'));
  refused(ErrorCode::bad_format, "0xc1", "\xc1");
  refused(ErrorCode::bad_format, "no text", "\x81\xc0\xc0");
  const std::string one = msgpack::array({{1}, {3}});
  refused(ErrorCode::corrupt_file, "twice", msgpack::map({{"a", one}, {"a", one}}));
  refused(ErrorCode::bad_format, "letters",
          msgpack::map({{std::string(200, 'a'), msgpack::map({{std::string(200, 'b'), one}})}}));
  refused(ErrorCode::corrupt_file, "another layout", "\xc7\x01\x01\xc0");
}

}  // namespace
}  // namespace mercer

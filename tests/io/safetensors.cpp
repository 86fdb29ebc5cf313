#include "io/safetensors.hpp"

#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "io/file.hpp"
#include "support/arrays.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// A file as the format's description has it: length, header, numbers.
std::string file_of(const std::string& header, const std::string& data) {
  std::string bytes;
  for (std::size_t i = 0; i < 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 255);
  return bytes + header + data;
}

std::string object(const std::string& inside) { return fmt::format("{{{}}}", inside); }

class SafetensorsFile : public testing::Test {
 protected:
  Safetensors read(const std::string& bytes) {
    write_bytes(path_, bytes);
    return read_safetensors(path_);
  }
  int outcome(const std::string& bytes) {
    try {
      last_ = read(bytes);
      return 0;
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
  }
  void expect_refused(ErrorCode code, const std::string& part, const std::string& bytes) {
    expect_error(code, part, [&] { read(bytes); });
  }
  std::string small() {
    write_safetensors(path_, {{{"w", Array::of(std::vector<float>{1.5F, -2}, {1, 2})},
                               {"n", Array::of(std::vector<std::int64_t>{7}, {})}},
                              {{"key", "a \"text\""}}});
    return read_bytes(path_);
  }
  const TemporaryFolder folder_;
  const std::filesystem::path path_ = folder_ / "a.safetensors";
  Safetensors last_;
};

TEST_F(SafetensorsFile, keeps_every_type_and_the_metadata) {
  Safetensors file{every_kind_of_array(), {{"mercer", "{\"format\": 1}"}, {"empty", ""}, {"é", "ü\n"}}};
  file.tensors.erase("text");
  file.tensors.erase("no text");
  write_safetensors(path_, file);
  const Safetensors again = read_safetensors(path_);
  EXPECT_EQ(again.tensors, file.tensors);
  EXPECT_EQ(again.metadata, file.metadata);
  const std::string bytes = read_bytes(path_);
  write_safetensors(path_, again);
  EXPECT_EQ(read_bytes(path_), bytes);
}

// By hand from the format's description: 1.5 is 3fc00000, -2 is c0000000; the wide number comes first.
TEST_F(SafetensorsFile, writes_exactly_these_bytes) {
  std::string header = R"({"__metadata__":{"key":"a \"text\""},"n":{"dtype":"I64","shape":[],"data_offsets":[0,8]},)"
                       R"("w":{"dtype":"F32","shape":[1,2],"data_offsets":[8,16]}})";
  header.append((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(small(), file_of(header, std::string("\7\0\0\0\0\0\0\0\0\0\xc0\x3f\0\0\0\xc0", 16)));
}

TEST_F(SafetensorsFile, bytes_in_parts_are_written_as_one_tensor) {
  const std::vector<std::byte> bytes{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}, std::byte{5}};
  const std::span<const std::byte> all = bytes;
  const std::vector<std::span<const std::byte>> parts{all.first(2), all.first(0), all.subspan(2)};
  write_safetensors(path_, {{{"payload", {Array::Type::u8, {5}, bytes}}}, {{"key", "text"}}});
  const std::string whole = read_text(path_);
  write_safetensors_bytes(path_, "payload", parts, {{"key", "text"}});
  EXPECT_EQ(read_text(path_), whole);
}

TEST_F(SafetensorsFile, reads_what_others_write) {
  const Safetensors file =
      read(file_of(R"( {"b":{"data_offsets":[2,6],"shape":[1],"dtype":"I32"},"a":{"dtype":"U8","shape":[2],)"
                   R"("data_offsets":[0,2]},"none":{"dtype":"F32","shape":[0,5],"data_offsets":[2,2]}}  )",
                   std::string("\1\2\3\0\0\0", 6)));
  EXPECT_EQ(file.tensors, (Arrays{{"a", array_of<std::uint8_t>(Array::Type::u8, {1, 2}, {2})},
                                  {"b", array_of<std::int32_t>(Array::Type::i32, {3}, {1})},
                                  {"none", array_of<float>(Array::Type::f32, {}, {0, 5})}}));
  EXPECT_TRUE(read(file_of("{}", "")).tensors.empty());
  const Arrays small = read(file_of(R"({"h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]},)"
                                    R"("b":{"dtype":"BF16","shape":[1],"data_offsets":[4,6]}})",
                                    std::string("\x00\x3c\x00\xc0\xc0\x3f", 6)))
                           .tensors;
  EXPECT_EQ(small.at("h").as_doubles(), (std::vector<double>{1, -2}));
  EXPECT_EQ(small.at("b").as_doubles(), (std::vector<double>{1.5}));
}

TEST_F(SafetensorsFile, every_prefix_is_file_trouble) {
  const std::string whole = small();
  std::map<int, int> seen;
  for (std::size_t length = 0; length < whole.size(); ++length) ++seen[outcome(whole.substr(0, length))];
  EXPECT_EQ(seen, (std::map<int, int>{{static_cast<int>(ErrorCode::corrupt_file), static_cast<int>(whole.size())}}));
  EXPECT_EQ(outcome(whole + "x"), static_cast<int>(ErrorCode::corrupt_file));
}

// The format has no checksum: a flip among the numbers or in a name goes unseen, but nothing may crash or come out with
// a size that does not fit.
TEST_F(SafetensorsFile, no_flipped_bit_crashes) {
  const std::string whole = small();
  std::map<int, int> seen;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int mask : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
      std::string bytes = whole;
      bytes[at] = static_cast<char>(bytes[at] ^ mask);
      const int code = outcome(bytes);
      ++seen[code];
      EXPECT_TRUE(code == 0 || code / 100 == 3) << "byte " << at << " with " << mask;
    }
  }
  EXPECT_GT(seen[static_cast<int>(ErrorCode::corrupt_file)], 0);
  EXPECT_GT(seen[static_cast<int>(ErrorCode::bad_format)], 0);
  EXPECT_GT(seen[0], 0);
}

TEST_F(SafetensorsFile, refuses_sizes_that_do_not_fit) {
  const auto tensor = [](const std::string& dtype, const std::string& shape, const std::string& offsets) {
    return fmt::format(R"("a":{{"dtype":"{}","shape":{},"data_offsets":{}}})", dtype, shape, offsets);
  };
  const std::string good = tensor("U8", "[4]", "[0,4]");
  EXPECT_EQ(outcome(file_of(object(good), "abcd")), 0);
  const auto corrupt = [&](const std::string& inside) {
    expect_refused(ErrorCode::corrupt_file, "", file_of(object(inside), "abcd"));
  };
  corrupt(tensor("U8", "[5]", "[0,4]"));
  corrupt(tensor("F32", "[4]", "[0,4]"));
  corrupt(tensor("U8", "[4]", "[0,5]"));
  corrupt(tensor("U8", "[4]", "[4,0]"));
  corrupt(tensor("U8", "[3]", "[1,4]"));
  corrupt(tensor("U8", "[4294967296,4294967296]", "[0,0]"));
  corrupt(tensor("U8", "[4294967296,4294967297]", "[0,4]"));
  corrupt(tensor("U8", "[18446744073709551615]", "[0,4]"));
  corrupt(good + "," + good);                                                 // the same name twice
  corrupt(good + R"(,"b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})");  // an overlap
  corrupt(R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"           // a hole
          R"("b":{"dtype":"U8","shape":[2],"data_offsets":[2,4]})");
  const auto bad = [&](const std::string& header) {
    expect_refused(ErrorCode::bad_format, "", file_of(header, "abcd"));
  };
  bad(object(tensor("F8_E4M3", "[4]", "[0,4]")));
  bad(object(tensor("U8", "[-4]", "[0,4]")));
  bad(object(tensor("U8", "[4]", "[0,4.5]")));
  bad(object(tensor("U8", "4", "[0,4]")));
  bad(object(tensor("U8", "[1e999]", "[0,4]")));
  bad(R"({"a": 3})");
  bad("[1]");
  bad("not json");
  bad(object(good + R"(,"__metadata__":{"x":1})"));
  bad(object(good + R"(,"__metadata__":3)"));
  bad("");
  expect_refused(ErrorCode::bad_format, "its header would have", std::string(8, '\xff') + "{}");
}

TEST_F(SafetensorsFile, refuses_to_write_what_the_format_does_not_have) {
  const auto refused = [&](const std::string& name, const Array& array) {
    expect_error(ErrorCode::bad_value, name, [&] { write_safetensors(path_, {{{name, array}}, {}}); });
  };
  refused("t", Array::of_text("x"));
  refused("__metadata__", Array::of(std::vector<float>{1}, {1}));
  refused("s", Array::of(std::vector<float>{1}, {2}));
  expect_error(ErrorCode::bad_value, "UTF-8", [&] { write_safetensors(path_, {{}, {{"k", "\xff"}}}); });
  EXPECT_TRUE(names_in(folder_.path()).empty());
}

}  // namespace
}  // namespace mercer

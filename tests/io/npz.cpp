#include "io/npz.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "support/arrays.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;

TEST(Npz, arrays_of_every_type_and_shape_come_back) {
  const TemporaryFolder folder;
  const Arrays arrays = every_kind_of_array();
  write_npz(folder / "a.npz", arrays);
  const Arrays back = read_npz(folder / "a.npz");
  ASSERT_EQ(back.size(), arrays.size());
  for (const auto& [name, array] : arrays) EXPECT_TRUE(require_array(back, name, "a.npz") == array) << name;
}

TEST(Npz, no_arrays_at_all_come_back) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {});
  // A zip file without members starts with its end record.
  EXPECT_TRUE(read_npz(folder / "a.npz").empty());
}

TEST(Npz, bytes_depend_on_the_arrays_alone) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", every_kind_of_array());
  write_npz(folder / "another name.npz", every_kind_of_array());
  const std::string bytes = read_bytes(folder / "a.npz");
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(bytes, read_bytes(folder / "another name.npz"));
}

TEST(Npz, array_data_is_aligned_in_its_member_as_numpy_wants) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {{"x", Array::of(Doubles{1, 2}, {2})}});
  const std::string bytes = read_bytes(folder / "a.npz");
  const std::size_t magic = bytes.find("\x93NUMPY");
  ASSERT_NE(magic, std::string::npos);
  const std::size_t length = static_cast<unsigned char>(bytes[magic + 8]);  // below 256 here
  EXPECT_EQ((10 + length) % 64, 0U);
  EXPECT_EQ(bytes[magic + 10 + length - 1], '\n');
}

TEST(Array, size_is_the_product_of_the_shape) {
  const Arrays arrays = every_kind_of_array();
  EXPECT_EQ(arrays.at("f64").size(), 6U);
  EXPECT_EQ(arrays.at("i32").size(), 8U);
  EXPECT_EQ(arrays.at("empty").size(), 0U);
  EXPECT_EQ(arrays.at("single").size(), 1U);
}

TEST(Array, numbers_convert_to_doubles) {
  const Arrays arrays = every_kind_of_array();
  EXPECT_EQ(arrays.at("f64").as_doubles(), (Doubles{1, -2.5, 1e300, 4, 5, 6}));
  EXPECT_EQ(arrays.at("f32").as_doubles(), (Doubles{1.5, -2.25}));
  EXPECT_EQ(arrays.at("i64").as_doubles(), (Doubles{-0x1p63, -1, 0, 0x1p63}));  // 2^63 - 1 rounds up
  EXPECT_EQ(arrays.at("u8").as_doubles(), (Doubles{0, 128, 255}));
  EXPECT_EQ(arrays.at("flags").as_doubles(), (Doubles{1, 0, 1}));
  EXPECT_EQ(arrays.at("empty").as_doubles(), Doubles{});
  EXPECT_EQ(arrays.at("single").as_doubles(), Doubles{-1.25});
}

TEST(Array, whole_numbers_convert_to_integers_and_others_do_not) {
  const Arrays arrays = every_kind_of_array();
  EXPECT_EQ(arrays.at("i64").as_integers(), (Integers{INT64_MIN, -1, 0, INT64_MAX}));
  EXPECT_EQ(arrays.at("i32").as_integers(), (Integers{INT32_MIN, INT32_MAX, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(arrays.at("u8").as_integers(), (Integers{0, 128, 255}));
  EXPECT_EQ(arrays.at("flags").as_integers(), (Integers{1, 0, 1}));
  for (const char* name : {"f64", "f32"}) {
    expect_error(ErrorCode::bad_format, "integers", [&] { arrays.at(name).as_integers(); });
  }
}

TEST(Array, text_is_no_number_and_numbers_are_no_text) {
  const Arrays arrays = every_kind_of_array();
  EXPECT_EQ(arrays.at("text").as_text(), "a name");
  EXPECT_EQ(arrays.at("no text").as_text(), "");
  expect_error(ErrorCode::bad_format, "text where numbers", [&] { arrays.at("text").as_doubles(); });
  expect_error(ErrorCode::bad_format, "text where numbers", [&] { arrays.at("text").as_integers(); });
  expect_error(ErrorCode::bad_format, "not text", [&] { arrays.at("u8").as_text(); });
}

TEST(RequireArray, names_the_arrays_there_are) {
  const Arrays arrays{{"a", {}}, {"b", {}}};
  EXPECT_EQ(&require_array(arrays, "b", "r.npz"), &arrays.at("b"));
  expect_error(ErrorCode::bad_format, "'r.npz' has no array 'c'; it has: a, b",
               [&] { require_array(arrays, "c", "r.npz"); });
}

TEST(ReadNpz, says_what_is_no_npz) {
  const TemporaryFolder folder;
  write_bytes(folder / "text", "episode,return\n1,2\n");
  write_bytes(folder / "nothing", "");
  expect_error(ErrorCode::bad_format, "is not a zip file", [&] { read_npz(folder / "text"); });
  expect_error(ErrorCode::bad_format, "the file is empty", [&] { read_npz(folder / "nothing"); });
  expect_error(ErrorCode::cannot_open, "missing", [&] { read_npz(folder / "missing"); });
  expect_error(ErrorCode::cannot_open, "is a folder", [&] { read_npz(folder.path()); });
}

}  // namespace
}  // namespace mercer

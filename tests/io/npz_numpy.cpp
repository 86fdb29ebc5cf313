#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "support/errors.hpp"

// Files that numpy wrote: tests/data/npz/make_fixtures.py has the values.

namespace mercer {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Shape = std::vector<std::size_t>;

std::filesystem::path numpy_file(const std::string& name) {
  return std::filesystem::path(MERCER_TEST_DATA) / "npz" / name;
}

void expect_every_type(const Arrays& arrays) {
  EXPECT_EQ(arrays.at("f64").type, Array::Type::f64);
  EXPECT_EQ(arrays.at("f64").shape, (Shape{2, 3}));
  EXPECT_EQ(arrays.at("f64").as_doubles(), (Doubles{-0.5, -0.25, 0, 0.25, 0.5, 0.75}));
  EXPECT_EQ(arrays.at("f32").type, Array::Type::f32);
  EXPECT_EQ(arrays.at("f32").as_doubles(), (Doubles{1.5, -2.25, double{1e30F}}));
  EXPECT_EQ(arrays.at("i64").type, Array::Type::i64);
  EXPECT_EQ(arrays.at("i64").as_integers(), (Integers{INT64_MIN, 0, INT64_MAX}));
  EXPECT_EQ(arrays.at("i32").type, Array::Type::i32);
  EXPECT_EQ(arrays.at("i32").shape, (Shape{2, 1}));
  EXPECT_EQ(arrays.at("i32").as_integers(), (Integers{INT32_MIN, INT32_MAX}));
  EXPECT_EQ(arrays.at("u8").type, Array::Type::u8);
  EXPECT_EQ(arrays.at("u8").as_integers(), (Integers{0, 127, 255}));
  EXPECT_EQ(arrays.at("flags").type, Array::Type::boolean);
  EXPECT_EQ(arrays.at("flags").as_integers(), (Integers{1, 0, 1}));
  EXPECT_EQ(arrays.at("single").shape, Shape{});
  EXPECT_EQ(arrays.at("single").as_doubles(), Doubles{-1.25});
  EXPECT_EQ(arrays.at("empty").shape, (Shape{0, 3}));
  EXPECT_EQ(arrays.at("empty").as_doubles(), Doubles{});
  EXPECT_EQ(arrays.at("text").as_text(), "a name");
}

TEST(NpzFromNumpy, savez) {
  const Arrays arrays = read_npz(numpy_file("stored.npz"));
  EXPECT_EQ(arrays.size(), 9U);
  expect_every_type(arrays);
}

TEST(NpzFromNumpy, savez_compressed) {
  const Arrays arrays = read_npz(numpy_file("compressed.npz"));
  EXPECT_EQ(arrays.size(), 10U);
  expect_every_type(arrays);
  // 8000 bytes of zeros in a file of less than 2000: this one was really deflated.
  EXPECT_EQ(arrays.at("zeros").shape, (Shape{50, 20}));
  EXPECT_EQ(arrays.at("zeros").as_doubles(), Doubles(1000));
  EXPECT_LT(std::filesystem::file_size(numpy_file("compressed.npz")), 2000U);
}

TEST(NpzFromNumpy, column_major_arrays_become_row_major) {
  const Arrays arrays = read_npz(numpy_file("fortran.npz"));
  EXPECT_EQ(arrays.at("cube").shape, (Shape{2, 3, 4}));
  const Integers cube = arrays.at("cube").as_integers();
  ASSERT_EQ(cube.size(), 24U);
  std::size_t at = 0;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) EXPECT_EQ(cube[at++], 100 * i + 10 * j + k);
    }
  }
  EXPECT_EQ(arrays.at("vector").as_doubles(), (Doubles{0, 1, 2}));
}

TEST(NpzFromNumpy, second_version_of_the_header) {
  EXPECT_EQ(read_npz(numpy_file("version2.npz")).at("a").as_doubles(), (Doubles{1, 2}));
}

TEST(NpzFromNumpy, names_the_types_it_does_not_read) {
  expect_error(ErrorCode::bad_format, "complex.npz:z' has the unknown type '<c16'",
               [] { read_npz(numpy_file("complex.npz")); });
  expect_error(ErrorCode::bad_format, "unknown type '>f8'", [] { read_npz(numpy_file("big_endian.npz")); });
  expect_error(ErrorCode::bad_format, "unknown type '<U4'", [] { read_npz(numpy_file("unicode.npz")); });
  expect_error(ErrorCode::bad_format, "record.npz:r' has the unknown type", [] { read_npz(numpy_file("record.npz")); });
  expect_error(ErrorCode::bad_format, "unknown type '|O'", [] { read_npz(numpy_file("object.npz")); });
}

}  // namespace
}  // namespace mercer

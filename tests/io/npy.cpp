#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/error.hpp"
#include "support/arrays.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/zip_records.hpp"

namespace mercer {
namespace {

using Shape = std::vector<std::size_t>;

// A .npy file of version 1.0 with any text for a header.
std::string npy(const std::string& header, const std::string& data) {
  return "\x93NUMPY\x01" + std::string(1, '\0') + little(header.size(), 2) + header + data;
}
Array parse(const std::string& file) { return parse_npy(as_bytes(file), "a.npz:x"); }

const std::string two_doubles(16, '\0');

TEST(NpyHeader, is_what_numpy_writes) {
  const std::string header = npy_header(Array::of(std::vector<double>{1, 2}, {2, 1}));
  // The first 64 bytes of numpy.save for such an array; the text is padded to 128 in all.
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\0\x76\0", 10));
  EXPECT_EQ(header.substr(10, 60), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), } ");
  EXPECT_EQ(header.size(), 128U);
  EXPECT_EQ(header.back(), '\n');
}

TEST(NpyHeader, writes_shapes_as_python_tuples) {
  const auto shape_text = [](Shape shape) {
    const std::string header = npy_header({Array::Type::u8, std::move(shape), {}});
    return header.substr(header.find('('), header.find(')') - header.find('(') + 1);
  };
  EXPECT_EQ(shape_text({}), "()");
  EXPECT_EQ(shape_text({3}), "(3,)");
  EXPECT_EQ(shape_text({3, 0}), "(3, 0)");
}

TEST(NpyHeader, is_a_multiple_of_64_for_shapes_of_any_length) {
  Shape shape;
  for (int dimensions = 0; dimensions < 32; ++dimensions, shape.push_back(1)) {
    const Array array{Array::Type::u8, shape, {std::byte{7}}};
    const std::string header = npy_header(array);
    EXPECT_EQ(header.size() % 64, 0U) << dimensions;
    EXPECT_TRUE(parse(header + "\7") == array) << dimensions;
  }
}

TEST(ParseNpy, takes_keys_in_any_order_and_spacing) {
  const Array array = parse(npy("{'shape':(1,2),'fortran_order':False,'descr':'<f8'}", two_doubles));
  EXPECT_EQ(array.shape, (Shape{1, 2}));
  EXPECT_EQ(array.type, Array::Type::f64);
}

TEST(ParseNpy, refuses_what_is_no_array) {
  expect_error(ErrorCode::bad_format, "'a.npz:x' is not a numpy array", [] { parse("just some text"); });
  expect_error(ErrorCode::bad_format, "is not a numpy array", [] { parse(""); });
  expect_error(ErrorCode::bad_format, "is not a numpy array", [] { parse("\x93NUMPY\x01"); });
}

// A member's checksum may be right and its header still nonsense: each of these must end in an error, not in a crash.
TEST(ParseNpy, refuses_headers_that_make_no_sense) {
  const auto expect_corrupt = [](const std::string& message, const std::string& header) {
    expect_error(ErrorCode::corrupt_file, message, [&] { parse(npy(header, two_doubles)); });
  };
  expect_corrupt("no 'shape'", "");
  expect_corrupt("no 'shape'", "{'descr': '<f8', 'fortran_order': False, }");
  expect_corrupt("no shape", "{'descr': '<f8', 'fortran_order': False, 'shape':");
  expect_corrupt("no shape", "{'descr': '<f8', 'fortran_order': False, 'shape': (2");
  expect_corrupt("no shape", "{'descr': '<f8', 'fortran_order': False, 'shape': 2)");
  expect_corrupt("cannot be read", "{'descr': '<f8', 'fortran_order': False, 'shape': (-2,)");
  expect_corrupt("cannot be read", "{'descr': '<f8', 'fortran_order': False, 'shape': (two,)");
  expect_corrupt("no 'descr'", "{'fortran_order': False, 'shape': (2,), }");
  expect_corrupt("no 'fortran_order'", "{'descr': '<f8', 'shape': (2,), }");
  expect_corrupt("which needs 24 bytes, and holds 16", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }");
}

TEST(ParseNpy, refuses_types_that_make_no_sense) {
  const auto expect_unknown = [](const std::string& header) {
    expect_error(ErrorCode::bad_format, "unknown type", [&] { parse(npy(header, two_doubles)); });
  };
  expect_unknown("{'shape': (2,), 'fortran_order': False, 'descr':");  // ends before the type
  expect_unknown("{'shape': (2,), 'fortran_order': False, 'descr': ");
  expect_unknown("{'shape': (2,), 'fortran_order': False, 'descr': '");
  expect_unknown("{'shape': (2,), 'fortran_order': False, 'descr': ''}");
  expect_unknown("{'shape': (2,), 'fortran_order': False, 'descr': '|S8'}");  // many texts
  expect_unknown("{'shape': (), 'fortran_order': False, 'descr': '|S'}");
  expect_unknown("{'shape': (), 'fortran_order': False, 'descr': '|S16x'}");
}

TEST(ParseNpy, refuses_a_header_that_is_cut_short) {
  const std::string whole = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", two_doubles);
  EXPECT_NO_THROW(parse(whole));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW(parse(whole.substr(0, length)), Error) << length;
  }
}

}  // namespace
}  // namespace mercer

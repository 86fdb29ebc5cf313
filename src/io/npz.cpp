#include "io/npz.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/zip.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

template <class T>
Array make_array(Array::Type type, std::span<const T> values, std::vector<std::size_t> shape) {
  Array array{type, std::move(shape), {}};
  const auto bytes = std::as_bytes(values);
  array.data.assign(bytes.begin(), bytes.end());
  return array;
}

template <class Stored, class Wanted>
std::vector<Wanted> convert(const Array& array) {
  std::vector<Wanted> out(array.data.size() / sizeof(Stored));
  for (std::size_t i = 0; i < out.size(); ++i) {
    Stored value;
    std::memcpy(&value, &array.data[i * sizeof(Stored)], sizeof(Stored));
    out[i] = static_cast<Wanted>(value);
  }
  return out;
}

template <class Wanted>
std::vector<Wanted> numbers(const Array& array) {
  switch (array.type) {
    case Array::Type::f64:
      return convert<double, Wanted>(array);
    case Array::Type::f32:
      return convert<float, Wanted>(array);
    case Array::Type::i64:
      return convert<std::int64_t, Wanted>(array);
    case Array::Type::i32:
      return convert<std::int32_t, Wanted>(array);
    case Array::Type::u8:
    case Array::Type::boolean:
      return convert<std::uint8_t, Wanted>(array);
    case Array::Type::text:
      break;
  }
  throw Error(ErrorCode::bad_format, "an array holds text where numbers are needed", "Save it as numbers");
}

struct TypeName {
  Array::Type type;
  std::string_view name;
  std::size_t bytes;
};
constexpr TypeName type_names[] = {{Array::Type::f64, "<f8", 8}, {Array::Type::f32, "<f4", 4},
                                   {Array::Type::i64, "<i8", 8}, {Array::Type::i32, "<i4", 4},
                                   {Array::Type::u8, "|u1", 1},  {Array::Type::boolean, "|b1", 1}};

// The text after 'key': in the header's Python dictionary, up to the end of that value.
std::string_view header_value(std::string_view header, std::string_view key, const std::string& where) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) throw_corrupt(where, fmt::format("has an array header with no '{}'", key));
  std::string_view rest = header.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest;
}

std::vector<std::size_t> parse_shape(std::string_view text, const std::string& where) {
  const std::size_t end = text.find(')');
  if (text.empty() || text[0] != '(' || end == std::string_view::npos)
    throw_corrupt(where, "has an array header with no shape");
  std::vector<std::size_t> shape;
  const char* at = text.data() + 1;
  const char* const stop = text.data() + end;
  while (true) {
    at = std::find_if(at, stop, [](char c) { return c != ' ' && c != ','; });
    if (at == stop) return shape;
    std::size_t extent = 0;
    const auto [next, trouble] = std::from_chars(at, stop, extent);
    if (trouble != std::errc{} || shape.size() == 32) throw_corrupt(where, "has an array shape that cannot be read");
    shape.push_back(extent);
    at = next;
  }
}

// Bytes of `count` elements, or more than any file has when the product overflows.
std::size_t checked_bytes(const std::vector<std::size_t>& shape, std::size_t element) {
  std::size_t bytes = element;
  for (const std::size_t extent : shape) {
    if (__builtin_mul_overflow(bytes, extent, &bytes)) return SIZE_MAX;
  }
  return bytes;
}

// Column-major to row-major, element by element.
std::vector<std::byte> to_row_major(std::span<const std::byte> data, const std::vector<std::size_t>& shape,
                                    std::size_t element) {
  std::vector<std::byte> out(data.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (std::size_t target = 0; target < data.size(); target += element) {
    std::size_t source = 0;
    for (std::size_t d = shape.size(); d-- > 0;) source = source * shape[d] + index[d];
    std::memcpy(&out[target], &data[source * element], element);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace

Array Array::of(std::span<const double> values, std::vector<std::size_t> shape) {
  return make_array(Type::f64, values, std::move(shape));
}
Array Array::of(std::span<const float> values, std::vector<std::size_t> shape) {
  return make_array(Type::f32, values, std::move(shape));
}
Array Array::of(std::span<const std::int64_t> values, std::vector<std::size_t> shape) {
  return make_array(Type::i64, values, std::move(shape));
}
Array Array::of_flags(std::span<const std::uint8_t> values, std::vector<std::size_t> shape) {
  return make_array(Type::boolean, values, std::move(shape));
}
Array Array::of_text(std::string_view text) {
  return make_array(Type::text, std::span<const char>(text.data(), text.size()), {});
}

std::size_t Array::size() const {
  std::size_t product = 1;
  for (const std::size_t extent : shape) product *= extent;
  return product;
}

std::vector<double> Array::as_doubles() const { return numbers<double>(*this); }

std::vector<std::int64_t> Array::as_integers() const {
  if (type == Type::f64 || type == Type::f32) {
    throw Error(ErrorCode::bad_format, "an array holds floating-point numbers where integers are needed",
                "Save it as int64");
  }
  return numbers<std::int64_t>(*this);
}

std::string Array::as_text() const {
  if (type != Type::text) throw Error(ErrorCode::bad_format, "an array is not text", "Save it as numpy bytes");
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

const Array& require_array(const Arrays& arrays, const std::string& name, const std::filesystem::path& path) {
  const auto found = arrays.find(name);
  if (found != arrays.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, array] : arrays) names.push_back(known);
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}' has no array '{}'; it has: {}", path.string(), name, fmt::join(names, ", ")),
              "Give a file that has it");
}

std::string npy_header(const Array& array) {
  std::string type;
  if (array.type == Array::Type::text) {
    type = fmt::format("|S{}", array.data.size());
  } else {
    const auto* found = std::find_if(std::begin(type_names), std::end(type_names),
                                     [&](const TypeName& name) { return name.type == array.type; });
    type = found->name;
  }
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                                 fmt::join(array.shape, ", "), array.shape.size() == 1 ? "," : "");
  // Magic and length take 10 bytes; numpy wants the whole a multiple of 64, ended by a line feed.
  text.append(63 - (10 + text.size()) % 64, ' ').push_back('\n');
  const auto length = static_cast<std::uint16_t>(text.size());
  std::string header("\x93NUMPY\x01\x00", 8);
  header.push_back(static_cast<char>(length & 0xff));
  header.push_back(static_cast<char>(length >> 8));
  return header + text;
}

Array parse_npy(std::span<const std::byte> bytes, const std::string& where) {
  const auto* text = reinterpret_cast<const char*>(bytes.data());
  if (bytes.size() < 12 || std::memcmp(text, "\x93NUMPY", 6) != 0) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is not a numpy array", where),
                "Give a file written by numpy.savez or 'mercer rollout'");
  }
  const bool long_header = text[6] >= 2;
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(bytes[i]); };
  const std::size_t start = long_header ? 12 : 10;
  const std::size_t length =
      long_header ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  if (length > bytes.size() - start) throw_corrupt(where, "has an array header that is cut short");
  const std::string_view header(text + start, length);
  const std::span<const std::byte> data = bytes.subspan(start + length);

  Array array;
  array.shape = parse_shape(header_value(header, "shape", where), where);
  std::string_view descr = header_value(header, "descr", where);
  descr.remove_prefix(std::min<std::size_t>(descr.size(), 1));  // the opening quote
  descr = descr.substr(0, std::min<std::size_t>(descr.find('\''), 15));
  std::size_t element = 0;
  for (const TypeName& name : type_names) {
    if (name.name != descr) continue;
    array.type = name.type;
    element = name.bytes;
  }
  bool known = element > 0;
  if (descr.starts_with("|S") && array.shape.empty()) {
    array.type = Array::Type::text;
    const char* const end = descr.data() + descr.size();
    const auto [next, trouble] = std::from_chars(descr.data() + 2, end, element);
    known = trouble == std::errc{} && next == end;
  }
  if (!known) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has the unknown type '{}'", where, descr),
                "Save it as float64, float32, int64, int32, uint8 or bool");
  }
  const std::size_t expected = checked_bytes(array.shape, element);
  if (expected != data.size()) {
    throw_corrupt(where, fmt::format("has shape ({}), which needs {} bytes, and holds {}", fmt::join(array.shape, ", "),
                                     expected, data.size()));
  }
  const bool column_major = header_value(header, "fortran_order", where).starts_with("True");
  if (column_major && array.shape.size() > 1) {
    array.data = to_row_major(data, array.shape, element);
  } else {
    array.data.assign(data.begin(), data.end());
  }
  return array;
}

void write_npz(const std::filesystem::path& path, const Arrays& arrays) {
  std::vector<ZipMember> members;
  for (const auto& [name, array] : arrays) members.push_back({name + ".npy", npy_header(array), array.data});
  write_atomically(path, [&](std::ostream& out) { write_zip(out, members); });
}

Arrays read_npz(const std::filesystem::path& path) {
  const std::vector<std::byte> file = read_file(path, limits::npz_bytes);
  Arrays arrays;
  read_zip(file, path.string(), [&](const std::string& member, std::span<const std::byte> bytes) {
    const std::string name = member.ends_with(".npy") ? member.substr(0, member.size() - 4) : member;
    arrays[name] = parse_npy(bytes, path.string() + ":" + name);
  });
  return arrays;
}

}  // namespace mercer

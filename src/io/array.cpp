#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/npz.hpp"
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
    throw Error(ErrorCode::bad_format, "an array holds floating-point numbers where whole numbers are needed",
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

}  // namespace mercer

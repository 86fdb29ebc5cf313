#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/npz.hpp"

namespace mercer {

/// For tests: arrays are equal when type, shape and bytes are.
inline bool operator==(const Array& a, const Array& b) {
  return a.type == b.type && a.shape == b.shape && a.data == b.data;
}

/// An array of any type from its elements.
template <class T>
Array array_of(Array::Type type, const std::vector<T>& values, std::vector<std::size_t> shape) {
  const auto bytes = std::as_bytes(std::span(values));
  return {type, std::move(shape), {bytes.begin(), bytes.end()}};
}

/// One array of each type, among them no rows at all, a single value and an empty text.
inline Arrays every_kind_of_array() {
  using Type = Array::Type;
  return {{"f64", Array::of(std::vector<double>{1, -2.5, 1e300, 4, 5, 6}, {2, 3})},
          {"f32", array_of<float>(Type::f32, {1.5F, -2.25F}, {2})},
          {"i64", Array::of(std::vector<std::int64_t>{INT64_MIN, -1, 0, INT64_MAX}, {4, 1})},
          {"i32", array_of<std::int32_t>(Type::i32, {INT32_MIN, INT32_MAX, 3, 4, 5, 6, 7, 8}, {2, 2, 2})},
          {"u8", array_of<std::uint8_t>(Type::u8, {0, 128, 255}, {3})},
          {"flags", Array::of_flags(std::vector<std::uint8_t>{1, 0, 1}, {1, 3})},
          {"empty", Array::of(std::vector<double>{}, {0, 3})},
          {"single", Array::of(std::vector<double>{-1.25}, {})},
          {"text", Array::of_text("a name")},
          {"no text", Array::of_text("")}};
}

}  // namespace mercer

#include "io/numpy_values.hpp"

#include <fmt/format.h>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using Kind = Pickle::Kind;

[[noreturn]] void refuse(const std::string& where, const std::string& why) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why),
              "Save it with a current version of numpy and Stable-Baselines3");
}

struct ElementType {
  Array::Type type;
  std::size_t size;
};

// A dtype is a call numpy.dtype('f4', ...) with a state that begins (3, '<', ...).
ElementType element_type(const Pickle& pickle, const Pickle::Value* value, const std::string& where) {
  const Pickle::Value* code = value != nullptr ? pickle.argument(*value, 0) : nullptr;
  if (code == nullptr || value->text != "numpy.dtype" || code->kind != Kind::text) refuse(where, "an array of no type");
  const Pickle::Value* order = value->state == Pickle::nowhere ? nullptr : pickle.argument(pickle.at(value->state), 1);
  if (order != nullptr && order->text == ">") refuse(where, "a big-endian array");
  struct Code {
    std::string_view text;
    ElementType type;
  };
  static constexpr Code codes[] = {{"f8", {Array::Type::f64, 8}}, {"f4", {Array::Type::f32, 4}},
                                   {"i8", {Array::Type::i64, 8}}, {"i4", {Array::Type::i32, 4}},
                                   {"u1", {Array::Type::u8, 1}},  {"b1", {Array::Type::boolean, 1}}};
  for (const Code& one : codes) {
    if (one.text == code->text) return one.type;
  }
  refuse(where, "an array of a type other than float64, float32, int64, int32, uint8 and bool");
}

Array filled(ElementType type, std::vector<std::size_t> shape, const std::string& bytes, const std::string& where) {
  std::size_t left = bytes.size() / type.size;
  for (const std::size_t n : shape) left = n == 0 || left % n != 0 ? 0 : left / n;
  if (left != 1 || bytes.size() % type.size != 0)
    throw_corrupt(where, "has an array whose bytes do not fill its shape");
  const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
  return {type.type, std::move(shape), {data, data + bytes.size()}};
}

std::vector<std::size_t> shape_of(const Pickle& pickle, const Pickle::Value* tuple, const std::string& where) {
  if (tuple == nullptr || tuple->kind != Kind::tuple || tuple->items.size() > 2) {
    refuse(where, "an array of more than two axes");
  }
  std::vector<std::size_t> shape;
  for (const Pickle::Place place : tuple->items) {
    const Pickle::Value& size = pickle.at(place);
    if (size.kind != Kind::integer || size.integer < 0) throw_corrupt(where, "has an array without a size");
    shape.push_back(static_cast<std::size_t>(size.integer));
  }
  return shape;
}

// Column-major arrays of one axis are row-major as well.
void need_row_major(bool column_major, const std::vector<std::size_t>& shape, const std::string& where) {
  if (column_major && shape.size() > 1) refuse(where, "a column-major array");
}

}  // namespace

std::string bytes_of(const Pickle& pickle, const Pickle::Value& value, const std::string& where) {
  if (value.kind == Kind::bytes) return std::string(value.text);
  const bool call = value.kind == Kind::object && (value.text == "_codecs.encode" || value.text.ends_with("bytearray"));
  const Pickle::Value* text = call ? pickle.argument(value, 0) : nullptr;
  if (text != nullptr && text->kind == Kind::bytes) return std::string(text->text);
  if (text == nullptr || text->kind != Kind::text) refuse(where, "bytes are missing");
  std::string out;
  for (std::size_t i = 0; i < text->text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text->text[i]);
    if (byte < 0x80) {
      out.push_back(static_cast<char>(byte));
      continue;
    }
    // U+0080 to U+00FF are two bytes in UTF-8.
    if ((byte != 0xc2 && byte != 0xc3) || ++i == text->text.size())
      throw_corrupt(where, "has bytes that are not Latin-1");
    out.push_back(static_cast<char>((byte & 0x03) << 6 | (static_cast<unsigned char>(text->text[i]) & 0x3f)));
  }
  return out;
}

Array array_of(const Pickle& pickle, const Pickle::Value& value, const std::string& where) {
  if (value.kind == Kind::real) return Array::of(std::span(&value.real, 1), {});
  if (value.kind == Kind::integer) return Array::of(std::span(&value.integer, 1), {});
  if (value.kind != Kind::object) refuse(where, "a number or an array is missing");
  if (value.text.ends_with("multiarray.scalar")) {
    const Pickle::Value* bytes = pickle.argument(value, 1);
    if (bytes == nullptr) throw_corrupt(where, "has a number without bytes");
    return filled(element_type(pickle, pickle.argument(value, 0), where), {}, bytes_of(pickle, *bytes, where), where);
  }
  // _frombuffer(bytes, type, shape, order), or _reconstruct(...) with state (version, shape, type, column-major,
  // bytes).
  const bool buffer = value.text.ends_with("numeric._frombuffer");
  if (!buffer && !value.text.ends_with("multiarray._reconstruct")) refuse(where, "a number or an array is missing");
  if (!buffer && value.state == Pickle::nowhere) throw_corrupt(where, "has an array without bytes");
  const Pickle::Value& source = buffer ? value : pickle.at(value.state);
  const Pickle::Value* bytes = pickle.argument(source, buffer ? 0 : 4);
  const Pickle::Value* order = pickle.argument(source, 3);
  if (bytes == nullptr || order == nullptr) throw_corrupt(where, "has an array without bytes");
  std::vector<std::size_t> shape = shape_of(pickle, pickle.argument(source, buffer ? 2 : 1), where);
  need_row_major(buffer ? order->text == "F" : order->integer != 0, shape, where);
  const ElementType type = element_type(pickle, pickle.argument(source, buffer ? 1 : 2), where);
  return filled(type, std::move(shape), bytes_of(pickle, *bytes, where), where);
}

}  // namespace mercer

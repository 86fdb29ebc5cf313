#include "io/flax_file.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "io/file.hpp"
#include "io/half.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t longest_name = limits::flax_name;
constexpr std::size_t most_axes = limits::flax_axes;

struct ElementType {
  std::string_view name;
  std::size_t size;
  Array::Type type;
  double (*widen)(std::uint16_t);  // of numbers with 16 bits, which become float32
};
constexpr ElementType element_types[] = {
    {"float32", 4, Array::Type::f32, nullptr},        {"float64", 8, Array::Type::f64, nullptr},
    {"float16", 2, Array::Type::f32, half_to_double}, {"bfloat16", 2, Array::Type::f32, bfloat_to_double},
    {"int32", 4, Array::Type::i32, nullptr},          {"int64", 8, Array::Type::i64, nullptr},
    {"uint8", 1, Array::Type::u8, nullptr},           {"bool", 1, Array::Type::boolean, nullptr},
};

// What begins at one byte of msgpack: a leaf with its bytes, or a list or map with its number of entries.
struct Item {
  enum class Kind { number, text, bytes, list, map, extension } kind = Kind::number;
  std::uint64_t value = 0;  // an integer that is not negative, or a number of entries
  bool natural = false;     // whether it is such an integer
  int extension = 0;        // its type
  std::span<const std::byte> content{};
};

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  Arrays read() {
    add("", 0);
    if (at_ != bytes_.size()) throw_corrupt(where_, "goes on behind its end");
    return std::move(arrays_);
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': {} at byte {} of its msgpack", where_, why, at_),
                "Save the parameters with flax.serialization.to_bytes");
  }
  std::span<const std::byte> take(std::uint64_t size) {
    if (size > bytes_.size() - at_) throw_corrupt(where_, "ends early");
    const auto taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }
  std::uint64_t number(std::size_t size) {
    std::uint64_t value = 0;
    for (const std::byte byte : take(size)) value = value << 8 | static_cast<std::uint64_t>(byte);
    return value;
  }

  Item natural(std::uint64_t value) const { return {Item::Kind::number, value, true, 0, {}}; }
  Item integer(std::size_t size) {
    const std::uint64_t value = number(size);
    return value >> (8 * size - 1) != 0 ? skipped(0) : natural(value);
  }
  Item skipped(std::size_t size) { return {Item::Kind::number, 0, false, 0, take(size)}; }
  Item leaf(Item::Kind kind, std::uint64_t size) { return {kind, 0, false, 0, take(size)}; }
  Item several(Item::Kind kind, std::uint64_t count) const { return {kind, count, false, 0, {}}; }
  Item extension(std::uint64_t size) {
    const auto type = static_cast<std::int8_t>(number(1));
    return {Item::Kind::extension, 0, false, type, take(size)};
  }

  Item next() {
    const std::uint64_t code = number(1);
    if (code < 0x80) return natural(code);
    if (code < 0x90) return several(Item::Kind::map, code & 0x0f);
    if (code < 0xa0) return several(Item::Kind::list, code & 0x0f);
    if (code < 0xc0) return leaf(Item::Kind::text, code & 0x1f);
    if (code >= 0xe0) return skipped(0);  // -32 to -1
    switch (code) {
      case 0xc0:  // nil, false and true
      case 0xc2:
      case 0xc3:
        return skipped(0);
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return leaf(Item::Kind::bytes, number(std::size_t{1} << (code - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return extension(number(std::size_t{1} << (code - 0xc7)));
      case 0xca:
      case 0xcb:
        return skipped(code == 0xca ? 4 : 8);
      case 0xcc:
      case 0xcd:
      case 0xce:
      case 0xcf:
        return natural(number(std::size_t{1} << (code - 0xcc)));
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3:
        return integer(std::size_t{1} << (code - 0xd0));
      case 0xd4:
      case 0xd5:
      case 0xd6:
      case 0xd7:
      case 0xd8:
        return extension(std::size_t{1} << (code - 0xd4));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return leaf(Item::Kind::text, number(std::size_t{1} << (code - 0xd9)));
      case 0xdc:
      case 0xdd:
        return several(Item::Kind::list, number(code == 0xdc ? 2 : 4));
      case 0xde:
      case 0xdf:
        return several(Item::Kind::map, number(code == 0xde ? 2 : 4));
      default:
        refuse(fmt::format("the code 0x{:02x}, which is not used,", code));
    }
  }

  void add(const std::string& name, std::size_t depth) {
    if (++entries_ > limits::flax_entries) refuse(fmt::format("more than {} entries", limits::flax_entries));
    const Item item = next();
    if (item.kind == Item::Kind::extension && (item.extension == 1 || item.extension == 3)) {
      auto made = Reader(item.content, where_).array();
      if (made && !arrays_.emplace(name, std::move(*made)).second) throw_corrupt(where_, "has one name twice");
    }
    if (item.kind != Item::Kind::map && item.kind != Item::Kind::list) return;
    if (depth == limits::flax_depth) refuse(fmt::format("more than {} levels", limits::flax_depth));
    for (std::uint64_t i = 0; i < item.value; ++i) {
      const std::string own = item.kind == Item::Kind::list ? fmt::format("{}", i) : key();
      const std::string full = name.empty() ? own : fmt::format("{}.{}", name, own);
      if (full.size() > longest_name) refuse(fmt::format("a name of more than {} letters", longest_name));
      add(full, depth + 1);
    }
  }
  std::string key() {
    const Item item = next();
    if (item.kind == Item::Kind::number && item.natural) return fmt::format("{}", item.value);
    if (item.kind != Item::Kind::text && item.kind != Item::Kind::bytes) refuse("a key that is no text");
    return text_of(item);
  }
  static std::string text_of(const Item& item) {
    return {reinterpret_cast<const char*>(item.content.data()), item.content.size()};
  }

  // (shape, type, bytes); none for types that are not read, and without elements.
  std::optional<Array> array() {
    const Item tuple = next();
    if (tuple.kind != Item::Kind::list || tuple.value != 3) throw_corrupt(where_, "has an array of another layout");
    const Item axes = next();
    if (axes.kind != Item::Kind::list || axes.value > most_axes) throw_corrupt(where_, "has an array without a shape");
    std::vector<std::size_t> shape;
    for (std::uint64_t i = 0; i < axes.value; ++i) {
      const Item size = next();
      if (!size.natural) throw_corrupt(where_, "has an array with a size below 0");
      shape.push_back(size.value);
    }
    const std::string name = text_of(next());
    const Item data = next();
    if (data.kind != Item::Kind::bytes && data.kind != Item::Kind::text) throw_corrupt(where_, "has an empty array");
    if (std::ranges::find(shape, std::size_t{0}) != shape.end()) return std::nullopt;
    for (const ElementType& type : element_types) {
      if (type.name == name) return filled(type, std::move(shape), data.content);
    }
    return std::nullopt;
  }
  Array filled(const ElementType& type, std::vector<std::size_t> shape, std::span<const std::byte> data) const {
    std::size_t left = data.size() / type.size;
    for (const std::size_t size : shape) left = left % size != 0 ? 0 : left / size;
    if (left != 1 || data.size() % type.size != 0) {
      throw_corrupt(where_, "has an array whose bytes do not fill its shape");
    }
    if (type.widen == nullptr) return {type.type, std::move(shape), {data.begin(), data.end()}};
    return Array::of(widened(data, type.widen), std::move(shape));
  }

  std::span<const std::byte> bytes_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::size_t entries_ = 0;
  Arrays arrays_;
};

}  // namespace

Arrays parse_flax(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.empty()) throw_corrupt(where, "cannot be read: the file is empty");
  return Reader(bytes, where).read();
}

}  // namespace mercer

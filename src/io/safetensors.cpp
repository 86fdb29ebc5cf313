#include "io/safetensors.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/documents.hpp"
#include "io/file.hpp"
#include "io/half.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t length_bytes = 8;
constexpr const char* metadata_key = "__metadata__";

struct ElementType {
  const char* name;
  Array::Type type;
  std::size_t bytes;
  double (*widen)(std::uint16_t) = nullptr;  // of numbers with 16 bits, which are read as float32 and never written
};
constexpr std::array element_types{
    ElementType{"F64", Array::Type::f64, 8},
    ElementType{"F32", Array::Type::f32, 4},
    ElementType{"I64", Array::Type::i64, 8},
    ElementType{"I32", Array::Type::i32, 4},
    ElementType{"U8", Array::Type::u8, 1},
    ElementType{"BOOL", Array::Type::boolean, 1},
    ElementType{"F16", Array::Type::f32, 2, half_to_double},
    ElementType{"BF16", Array::Type::f32, 2, bfloat_to_double},
};

[[noreturn]] void throw_unreadable(const std::string& where, std::string_view what) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}' {}", where, what),
              "Give a safetensors file with tensors of type F64, F32, F16, BF16, I64, I32, U8 or BOOL");
}

const ElementType* find_type(Array::Type type) {
  const auto* found = std::ranges::find(element_types, type, &ElementType::type);
  return found == element_types.end() ? nullptr : found;
}

const ElementType& type_to_write(const std::string& name, const Array& array) {
  const ElementType* type = find_type(array.type);
  if (type == nullptr || name == metadata_key || array.size() * type->bytes != array.data.size()) {
    throw Error(ErrorCode::bad_value, fmt::format("'{}' cannot be a tensor of a safetensors file", name),
                "Give numbers, as many as the shape says, under a name other than __metadata__");
  }
  return *type;
}

json parse_header(std::string_view text, const std::string& where) {
  try {
    return parse_strict_json<json>(text, where);
  } catch (const json::exception&) {
    throw_unreadable(where, "has a header that is not JSON: it is not a safetensors file, or is damaged");
  }
}

bool is_index(const json& value) { return value.is_number_unsigned(); }

// One entry of the header, its sizes checked against the `available` bytes of data.
struct Entry {
  std::string name;
  Array array;
  std::size_t begin = 0;
  std::size_t end = 0;
  const ElementType* type = nullptr;
};

Entry parse_entry(const std::string& name, const json& value, std::size_t available, const std::string& where) {
  const bool complete =
      value.is_object() && value.contains("dtype") && value["dtype"].is_string() && value.contains("shape") &&
      value["shape"].is_array() && value.contains("data_offsets") && value["data_offsets"].is_array() &&
      value["data_offsets"].size() == 2 && is_index(value["data_offsets"][0]) && is_index(value["data_offsets"][1]) &&
      value["shape"].size() <= limits::safetensors_axes && std::ranges::all_of(value["shape"], is_index);
  if (!complete) throw_unreadable(where, fmt::format("describes tensor '{}' in no way that is known", name));
  const auto dtype = value["dtype"].get<std::string>();
  const auto* type = std::ranges::find(element_types, dtype, &ElementType::name);
  if (type == element_types.end()) throw_unreadable(where, fmt::format("has tensor '{}' of type '{}'", name, dtype));

  Entry entry{name, {type->type, {}, {}}, value["data_offsets"][0], value["data_offsets"][1], type};
  if (entry.begin > entry.end || entry.end > available) {
    throw_corrupt(where,
                  fmt::format("has tensor '{}' at bytes {} to {} of {}", name, entry.begin, entry.end, available));
  }
  std::size_t bytes = type->bytes;
  for (const json& extent : value["shape"]) {
    entry.array.shape.push_back(extent);
    if (__builtin_mul_overflow(bytes, entry.array.shape.back(), &bytes)) bytes = SIZE_MAX;
  }
  // A product that overflowed may come back to a size that fits when a later extent is zero; such a shape is refused.
  const bool empty = std::ranges::find(entry.array.shape, std::size_t{0}) != entry.array.shape.end();
  if ((empty ? std::size_t{0} : bytes) != entry.end - entry.begin) {
    throw_corrupt(
        where, fmt::format("has tensor '{}' with {} bytes, which do not fit its shape", name, entry.end - entry.begin));
  }
  return entry;
}

std::map<std::string, std::string> parse_metadata(const json& value, const std::string& where) {
  std::map<std::string, std::string> metadata;
  if (!value.is_object()) throw_unreadable(where, "has metadata that are not text by key");
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) throw_unreadable(where, fmt::format("has metadata '{}' that are not text", key));
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

ordered_json header_of(const std::map<std::string, std::string>& metadata) {
  ordered_json header = ordered_json::object();
  if (!metadata.empty()) {
    header[metadata_key] = ordered_json::object();
    for (const auto& [key, text] : metadata) header[metadata_key][key] = text;
  }
  return header;
}

// The length of the header and the header itself.
std::string head_text(const ordered_json& header) {
  std::string text;
  try {
    text = header.dump();
  } catch (const ordered_json::exception&) {
    throw Error(ErrorCode::bad_value, "a name or the metadata of a safetensors file are not UTF-8", "Give UTF-8 text");
  }
  text.append((length_bytes - text.size() % length_bytes) % length_bytes, ' ');
  std::string length;
  for (std::size_t i = 0; i < length_bytes; ++i) length += static_cast<char>(text.size() >> (8 * i) & 255);
  return length + text;
}

void write_parts(const std::filesystem::path& path, const std::string& head,
                 std::span<const std::span<const std::byte>> parts, const MayReplace& may_replace) {
  const auto write = [&](std::ostream& out) {
    out.write(head.data(), static_cast<std::streamsize>(head.size()));
    for (const std::span<const std::byte> part : parts) {
      out.write(reinterpret_cast<const char*>(part.data()), static_cast<std::streamsize>(part.size()));
    }
  };
  if (may_replace) {
    replace_atomically(path, may_replace, write);
  } else {
    write_atomically(path, write);
  }
}

struct Layout {
  std::string head;
  std::vector<std::span<const std::byte>> parts;
};

Layout layout(const Safetensors& file) {
  std::vector<std::pair<std::string, const Array*>> order;
  for (const auto& [name, array] : file.tensors) {
    type_to_write(name, array);
    order.emplace_back(name, &array);
  }
  std::ranges::stable_sort(order, std::greater{}, [](const auto& item) { return find_type(item.second->type)->bytes; });

  ordered_json header = header_of(file.metadata);
  std::vector<std::span<const std::byte>> parts;
  std::size_t offset = 0;
  for (const auto& [name, array] : order) {
    const std::size_t end = offset + array->data.size();
    header[name] = {{"dtype", find_type(array->type)->name}, {"shape", array->shape}, {"data_offsets", {offset, end}}};
    parts.emplace_back(array->data);
    offset = end;
  }
  return {head_text(header), std::move(parts)};
}

}  // namespace

std::string safetensors_head(const Safetensors& file) { return layout(file).head; }

void write_safetensors(const std::filesystem::path& path, const Safetensors& file) {
  const Layout made = layout(file);
  write_parts(path, made.head, made.parts, {});
}

void write_safetensors_bytes(const std::filesystem::path& path, const std::string& name,
                             std::span<const std::span<const std::byte>> parts,
                             const std::map<std::string, std::string>& metadata, const MayReplace& may_replace) {
  std::size_t bytes = 0;
  for (const std::span<const std::byte> part : parts) bytes += part.size();
  ordered_json header = header_of(metadata);
  header[name] = {{"dtype", "U8"}, {"shape", {bytes}}, {"data_offsets", {std::size_t{0}, bytes}}};
  write_parts(path, head_text(header), parts, may_replace);
}

Safetensors read_safetensors(const std::filesystem::path& path) {
  return parse_safetensors(read_file(path, limits::safetensors_bytes), path.string());
}

Safetensors parse_safetensors(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.empty()) throw_corrupt(where, "cannot be read: the file is empty");
  if (bytes.size() < length_bytes) throw_corrupt(where, "is too short for a safetensors file");
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i-- > 0;) length = length << 8 | static_cast<std::uint64_t>(bytes[i]);
  if (length > limits::safetensors_header)
    throw_unreadable(where, fmt::format("is not a safetensors file (its header would have {} bytes)", length));
  if (length > bytes.size() - length_bytes) throw_corrupt(where, "ends before the header it announces");

  const auto data = bytes.subspan(length_bytes + length);
  const json header = parse_header({reinterpret_cast<const char*>(bytes.data()) + length_bytes, length}, where);
  if (!header.is_object()) throw_unreadable(where, "has a header that is not a JSON object");

  Safetensors file;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == metadata_key) {
      file.metadata = parse_metadata(value, where);
    } else {
      entries.push_back(parse_entry(name, value, data.size(), where));
    }
  }
  std::ranges::sort(entries, {}, [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::size_t expected = 0;
  for (Entry& entry : entries) {
    if (entry.begin != expected) {
      throw_corrupt(where, fmt::format("has a hole or an overlap before tensor '{}'", entry.name));
    }
    expected = entry.end;
    const auto part = data.subspan(entry.begin, entry.end - entry.begin);
    if (entry.type->widen != nullptr) {
      entry.array = Array::of(widened(part, entry.type->widen), std::move(entry.array.shape));
    } else {
      entry.array.data.assign(part.begin(), part.end());
    }
    file.tensors[entry.name] = std::move(entry.array);
  }
  if (expected != data.size()) throw_corrupt(where, "has bytes after its last tensor, or ends before it");
  return file;
}

}  // namespace mercer

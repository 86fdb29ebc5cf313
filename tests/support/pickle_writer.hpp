#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "support/zip_records.hpp"

/// Writes pickles opcode by opcode, also such as Python never would.
namespace pickle {

using ::little;

inline const std::string start("\x80\x02", 2), stop = ".", mark = "(", none = "N", yes = "\x88", no = "\x89";

inline std::string text(std::string_view value) { return "X" + little(value.size(), 4) + std::string(value); }
inline std::string bytes(std::string_view value) { return "B" + little(value.size(), 4) + std::string(value); }
inline std::string integer(std::int32_t value) { return "J" + little(static_cast<std::uint32_t>(value), 4); }
inline std::string global(std::string_view module, std::string_view own) {
  return "c" + std::string(module) + "\n" + std::string(own) + "\n";
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string out = mark;
  for (const std::string& item : items) out += item;
  return out + "t";
}
/// A dictionary of keys and values, one after the other.
inline std::string dict(const std::vector<std::string>& items) {
  std::string out = "}" + mark;
  for (const std::string& item : items) out += item;
  return out + "u";
}
/// function(arguments)
inline std::string call(const std::string& function, const std::vector<std::string>& arguments) {
  return function + tuple(arguments) + "R";
}
inline std::string build(const std::string& object, const std::string& state) { return object + state + "b"; }
inline std::string real(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, 8);
  std::string out = "G";
  for (int i = 7; i >= 0; --i) out.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
  return out;
}

/// A one-dimensional array of numpy, float64.
inline std::string array(const std::vector<double>& values) {
  std::string data(8 * values.size(), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  const std::string type =
      build(call(global("numpy", "dtype"), {text("f8"), no, yes}),
            tuple({integer(3), text("<"), none, none, none, integer(-1), integer(-1), integer(0)}));
  return build(call(global("numpy.core.multiarray", "_reconstruct"),
                    {global("numpy", "ndarray"), tuple({integer(0)}), bytes("b")}),
               tuple({integer(1), tuple({integer(static_cast<std::int32_t>(values.size()))}), type, no, bytes(data)}));
}

/// A tensor over storage `key` of `held` elements of the given type.
inline std::string tensor(const std::string& key, std::int32_t held, const std::vector<std::int32_t>& shape,
                          const std::string& type = "FloatStorage", std::int32_t offset = 0) {
  std::vector<std::string> sizes, strides(shape.size());
  std::uint32_t stride = 1;  // what is too large wraps around
  for (std::size_t d = shape.size(); d-- > 0; stride *= static_cast<std::uint32_t>(shape[d])) {
    strides[d] = integer(static_cast<std::int32_t>(stride));
  }
  for (const std::int32_t size : shape) sizes.push_back(integer(size));
  const std::string storage =
      tuple({text("storage"), global("torch", type), text(key), text("cpu"), integer(held)}) + "Q";
  return call(global("torch._utils", "_rebuild_tensor_v2"), {storage, integer(offset), tuple(sizes), tuple(strides), no,
                                                             call(global("collections", "OrderedDict"), {})});
}

}  // namespace pickle

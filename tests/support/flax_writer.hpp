#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/agent_writer.hpp"

/// Writes what flax.serialization.to_bytes writes: msgpack, byte by byte, also such as flax never would.
namespace msgpack {

inline std::string big(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = bytes; i-- > 0;) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
  return out;
}
inline std::string text(const std::string& value) { return "\xd9" + big(value.size(), 1) + value; }
inline std::string number(std::uint64_t value) { return "\xcd" + big(value, 2); }
inline std::string bytes(const std::string& value) { return "\xc6" + big(value.size(), 4) + value; }
inline std::string list(const std::vector<std::string>& items) {
  std::string out = "\xdc" + big(items.size(), 2);
  for (const std::string& item : items) out += item;
  return out;
}
inline std::string map(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string out =
      items.size() < 16 ? std::string(1, static_cast<char>(0x80 + items.size())) : "\xde" + big(items.size(), 2);
  for (const auto& [key, value] : items) out += text(key) + value;
  return out;
}
inline std::string array(const std::vector<std::int32_t>& shape, const std::string& type, const std::string& data) {
  std::vector<std::string> sizes;
  for (const std::int32_t size : shape) sizes.push_back(number(static_cast<std::uint64_t>(size)));
  const std::string content = list({list(sizes), text(type), bytes(data)});
  return "\xc9" + big(content.size(), 4) + "\x01" + content;
}
inline std::string array(const TestTensor& tensor) { return array(tensor.shape, "float32", raw(tensor.values)); }

/// {NAME: {"kernel": ..., "bias": ...}, ...} of layers whose tensors are NAME.weight and NAME.bias; norms have "scale".
inline std::string layers(const TestTensors& tensors) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, tensor] : tensors) {
    if (!name.ends_with(".weight")) continue;
    const std::string own = name.substr(0, name.size() - 7);
    TestTensor kernel = tensor;
    const bool norm = tensor.shape.size() == 1;
    if (!norm) {
      const auto rows = static_cast<std::size_t>(tensor.shape[0]), columns = static_cast<std::size_t>(tensor.shape[1]);
      std::swap(kernel.shape[0], kernel.shape[1]);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) kernel.values[c * rows + r] = tensor.values[r * columns + c];
      }
    }
    out.emplace_back(own,
                     map({{norm ? "scale" : "kernel", array(kernel)}, {"bias", array(tensors.at(own + ".bias"))}}));
  }
  return map(out);
}

}  // namespace msgpack

#include "core/printable.hpp"

#include <cstdint>

#include <fmt/format.h>

namespace mercer {
namespace {

struct Letter {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  // 0 where the text is not UTF-8
};

Letter first_letter(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 && lead < 0xf5 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead >= 0xf5 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0xffU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3fU);
  }
  const bool longer_than_needed = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (longer_than_needed || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {code, bytes};
}

// Control characters (C0, DEL, C1), ends of lines and paragraphs, and marks of direction, which no terminal shows.
bool is_hidden(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Letter letter = first_letter(text);
    if (letter.bytes == 0) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    } else if (letter.code == '\n' || letter.code == '\t') {
      out += letter.code == '\n' ? "\\n" : "\\t";
    } else if (is_hidden(letter.code)) {
      out += letter.code < 0x80 ? fmt::format("\\x{:02x}", letter.code) : fmt::format("\\u{:04x}", letter.code);
    } else {
      out += text.substr(0, letter.bytes);
    }
    text.remove_prefix(letter.bytes == 0 ? 1 : letter.bytes);
  }
  return out;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace mercer

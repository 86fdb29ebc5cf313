#include "io/toml.hpp"

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

toml::table parse_toml(std::string_view text, const std::string& file, const std::string& remedy) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& mistake) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' line {}: {}", file, mistake.source().begin.line, mistake.description()), remedy);
  }
}

}  // namespace mercer

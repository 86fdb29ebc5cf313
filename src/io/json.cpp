#include "io/json.hpp"

#include <fmt/format.h>

#include "io/file.hpp"
#include "mercer/error.hpp"

namespace mercer {

nlohmann::json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& mistake) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' is not JSON: mistake at byte {} of {}", path.string(), mistake.byte, text.size()),
                "Correct the file");
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has a number that no double can hold", path.string()),
                "Correct the file");
  }
}

}  // namespace mercer

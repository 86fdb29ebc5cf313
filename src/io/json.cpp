#include "io/json.hpp"

#include <set>
#include <vector>

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

template <class Json>
Json parse_strict_json(std::string_view text, const std::string& where) {
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Event event, Json& parsed) {
    if (depth > most_json_depth) {
      throw Error(ErrorCode::bad_format, fmt::format("'{}' nests JSON deeper than {} levels", where, most_json_depth),
                  "Give a file that Mercer or a safetensors library wrote");
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.template get<std::string>()).second) {
      throw_corrupt(where, fmt::format("names '{}' twice in its header", parsed.template get<std::string>()));
    }
    return true;
  };
  return Json::parse(text, check);
}
template nlohmann::json parse_strict_json(std::string_view, const std::string&);
template nlohmann::ordered_json parse_strict_json(std::string_view, const std::string&);

}  // namespace mercer

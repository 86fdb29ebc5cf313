#include "io/documents.hpp"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/printable.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "io/toml.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr const char* remedy = "Correct the file; docs/guide/config.md shows one";

[[noreturn]] void bad_toml(const std::filesystem::path& path, std::size_t line, std::string_view what) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}' line {}: {}", path.string(), line, what), remedy);
}

std::string scalar_text(const toml::node& node, const std::filesystem::path& path) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  bad_toml(path, node.source().begin.line, "a setting is a number, text, true, false or an array of those");
}

void flatten(const toml::table& table, const std::string& prefix, const std::filesystem::path& path, bool tables,
             std::vector<TomlEntry>& entries) {
  for (const auto& [name, node] : table) {
    const std::string key = prefix + std::string(name.str());
    if (const auto* inner = node.as_table()) {
      if (tables) entries.push_back({key + ".", {}, node.source().begin.line});
      flatten(*inner, key + ".", path, tables, entries);
      continue;
    }
    TomlEntry entry{key, {}, node.source().begin.line};
    if (const auto* list = node.as_array()) {
      for (const toml::node& item : *list) entry.values.push_back(scalar_text(item, path));
    } else {
      entry.values.push_back(scalar_text(node, path));
    }
    entries.push_back(std::move(entry));
  }
}

}  // namespace

nlohmann::json read_json(const std::filesystem::path& path) {
  const std::string text = read_text(path, limits::json_bytes);
  if (text.empty()) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' is not JSON: the file is empty", path.string()),
                "Write the file again");
  }
  try {
    return parse_strict_json<nlohmann::json>(text, path.string());
  } catch (const nlohmann::json::parse_error& mistake) {
    throw Error(ErrorCode::bad_format,
                fmt::format("'{}' is not JSON: mistake at byte {} of {}", path.string(), mistake.byte, text.size()),
                "Correct the file");
  } catch (const nlohmann::json::out_of_range&) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}' has a number that no double can hold", path.string()),
                "Correct the file");
  }
}

std::uint64_t count_from(const nlohmann::json& value) {
  const bool fits = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  if (!fits) {
    throw nlohmann::json::type_error::create(302,
                                             "must be an integer of 0 or more, but is " +
                                                 (value.is_number() ? value.dump() : std::string(value.type_name())),
                                             &value);
  }
  return value.get<std::uint64_t>();
}

void make_printable(nlohmann::json& document) {
  if (document.is_string()) document = printable(document.get_ref<const std::string&>());
  if (document.is_structured()) {
    for (nlohmann::json& inner : document) make_printable(inner);
  }
}

std::vector<TomlEntry> read_toml(const std::filesystem::path& path, bool tables) {
  std::vector<TomlEntry> entries;
  const std::string text = read_text(path, limits::toml_bytes);
  flatten(parse_toml(text, path.string(), remedy), "", path, tables, entries);
  return entries;
}

template <class Json>
Json parse_strict_json(std::string_view text, const std::string& where) {
  using Event = typename Json::parse_event_t;
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int depth, Event event, Json& parsed) {
    const bool opens = event == Event::object_start || event == Event::array_start;
    if (opens && depth >= static_cast<int>(limits::depth)) {
      throw Error(ErrorCode::bad_format, fmt::format("'{}' nests JSON deeper than {} levels", where, limits::depth),
                  "Give a document with fewer arrays and objects inside each other");
    }
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.template get<std::string>()).second) {
      throw_corrupt(where, fmt::format("names '{}' twice in one object", parsed.template get<std::string>()));
    }
    return true;
  };
  return Json::parse(text, check);
}
template nlohmann::json parse_strict_json(std::string_view, const std::string&);
template nlohmann::ordered_json parse_strict_json(std::string_view, const std::string&);

}  // namespace mercer

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mercer {

/// The JSON document in a file, as `parse_strict_json` reads it. Throws `bad_format` with the place of the first
/// mistake too.
nlohmann::json read_json(const std::filesystem::path& path);

/// JSON from outside, with every key once in its object: libraries keep one of two equal keys, and not always the
/// same. `Json` is nlohmann::json or ordered_json. Throws `corrupt_file` naming `where` for a key that stands twice,
/// `bad_format` for deeper nesting than `limits::depth`, and what nlohmann throws for text that is not JSON.
template <class Json>
Json parse_strict_json(std::string_view text, const std::string& where);

/// An integer from 0 to 2^64 - 1. Throws `nlohmann::json::type_error` for anything else: what the library makes of
/// numbers outside is undefined.
std::uint64_t count_from(const nlohmann::json& value);

/// Makes every text in a document `printable`, for those that are only shown.
void make_printable(nlohmann::json& document);

/// One setting of a TOML file as text: `[rollout] episodes = 10` is key "rollout.episodes", values {"10"}.
struct TomlEntry {
  std::string key;
  std::vector<std::string> values;  ///< more than one for an array
  std::size_t line = 0;
};

/// All settings of a TOML file. With `tables` a table is an entry too, also one without settings: `[embed]` has the key
/// "embed." and no value, and stands before its settings. Throws `bad_format` with the line of the first mistake, or
/// for values that are no number, text, true/false, or array of those.
std::vector<TomlEntry> read_toml(const std::filesystem::path& path, bool tables = false);

}  // namespace mercer

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace mercer {

/// The JSON document in a file. Throws `bad_format` with the place of the first mistake.
nlohmann::json read_json(const std::filesystem::path& path);

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

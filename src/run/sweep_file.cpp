#include <algorithm>
#include <functional>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "pipeline/options.hpp"
#include "run/sweep.hpp"

namespace mercer {
namespace {

std::vector<std::string> names_of(const std::vector<SweepStage>& stages) {
  std::vector<std::string> names;
  for (const SweepStage& stage : stages) names.push_back(stage.name);
  return names;
}

// The words of "embed.basis, embed.k".
std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const std::size_t begin = part.find_first_not_of(' '), end = part.find_last_not_of(' ');
    if (begin != std::string::npos) all.push_back(part.substr(begin, end - begin + 1));
  }
  return all;
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, const std::vector<SweepStage>& known)
      : name_(file.string()), known_(known) {
    entries_ = read_toml(file, true);                          // a table is a stage, with settings or without
    std::ranges::stable_sort(entries_, {}, &TomlEntry::line);  // the parser sorts by name
  }

  SweepFile read() {
    find_stages();
    std::vector<std::string> groups, grouped;
    for (const TomlEntry& entry : entries_) {
      if (entry.key == "together") groups = entry.values;
    }
    for (const std::string& group : groups) {
      for (const std::string& key : words(group)) grouped.push_back(key);
    }
    for (const TomlEntry& entry : entries_) {
      if (entry.key == "stages" || entry.key == "together") continue;
      check_key(entry);
      check_values(entry, has_name(grouped, entry.key));
      made_.values[entry.key] = entry.values;
      if (entry.values.size() > 1) made_.varied.push_back(entry.key);
    }
    make_axes(groups);
    return made_;
  }

 private:
  std::string place(const TomlEntry& entry) const { return fmt::format("'{}' line {}", name_, entry.line); }

  void find_stages() {
    std::set<std::string> used;
    const std::vector<std::string> names = names_of(known_);
    for (const TomlEntry& entry : entries_) {
      if (entry.key == "stages") {
        for (const std::string& stage : entry.values) {
          if (!has_name(names, stage)) throw_unknown(fmt::format("stage of {}", place(entry)), stage, names);
          used.insert(stage);
        }
        continue;
      }
      const std::size_t dot = entry.key.find('.');
      if (dot == std::string::npos) continue;
      const std::string stage = entry.key.substr(0, dot);
      if (!has_name(names, stage)) throw_unknown(fmt::format("stage of {}", place(entry)), stage, names);
      used.insert(stage);
    }
    std::erase_if(entries_, [](const TomlEntry& entry) { return entry.key.ends_with('.'); });
    for (const std::string& name : names) {
      if (used.contains(name)) made_.stages.push_back(name);
    }
    if (made_.stages.empty()) {
      throw Error(
          ErrorCode::missing_option, fmt::format("'{}' has no stage", name_),
          fmt::format("Add a table such as [{}], or stages = [...]; docs/guide/sweep.md shows one", names.front()));
    }
  }

  // At the top: any setting of a stage in use.
  std::vector<std::string> legal_keys(const std::string& stage) const {
    std::vector<std::string> keys;
    for (const SweepStage& one : known_) {
      if (stage.empty() ? !has_name(made_.stages, one.name) : one.name != stage) continue;
      for (const std::string& setting : one.settings) {
        if (!has_name(keys, setting)) keys.push_back(setting);
      }
    }
    if (stage.empty()) keys.insert(keys.end(), {"stages", "together"});
    return keys;
  }

  void check_key(const TomlEntry& entry) const {
    const std::size_t dot = entry.key.find('.');
    const std::string stage = dot == std::string::npos ? "" : entry.key.substr(0, dot);
    const std::string setting = dot == std::string::npos ? entry.key : entry.key.substr(dot + 1);
    const std::vector<std::string> legal = legal_keys(stage);
    if (!has_name(legal, setting)) {
      const std::string where = fmt::format("'mercer {} --help'", stage.empty() ? "STAGE" : stage);
      throw_unknown_option({stage, setting, fmt::format("key of {}", place(entry)), setting, std::identity{}, where},
                           legal);
    }
    if (!stage.empty()) return;
    const bool needed = std::ranges::any_of(known_, [&](const SweepStage& one) {
      if (!has_name(made_.stages, one.name) || !has_name(one.settings, setting)) return false;
      return std::ranges::none_of(entries_, [&](const TomlEntry& own) { return own.key == one.name + "." + setting; });
    });
    if (!needed) {
      throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' is used by no stage", place(entry), setting),
                  "Every stage that takes it sets its own value: remove it from the top");
    }
  }

  void check_values(const TomlEntry& entry, bool may_repeat) const {
    if (entry.values.empty()) {
      throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' has no value", place(entry), entry.key),
                  "Give at least one");
    }
    std::set<std::string> seen;
    for (const std::string& value : entry.values) {
      if (seen.insert(value).second || may_repeat) continue;
      throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' has {} twice", place(entry), entry.key, value),
                  "Give each value once; values that walk together may repeat");
    }
  }

  void make_axes(const std::vector<std::string>& groups) {
    std::map<std::string, std::size_t> group_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::string& key : words(groups[g])) {
        if (!has_name(made_.varied, key))
          throw_unknown(fmt::format("key with several values in '{}'", name_), key, made_.varied);
        if (!group_of.emplace(key, g).second) {
          throw Error(ErrorCode::bad_value, fmt::format("'{}': together names {} twice", name_, key), "Name it once");
        }
      }
    }
    std::map<std::size_t, std::size_t> axis_of;  // by group
    for (const std::string& key : made_.varied) {
      const std::size_t steps = made_.values.at(key).size();
      const auto group = group_of.find(key);
      const auto axis = group == group_of.end() ? axis_of.end() : axis_of.find(group->second);
      if (axis == axis_of.end()) {
        if (group != group_of.end()) axis_of[group->second] = made_.axes.size();
        made_.axes.push_back({{key}, steps});
        continue;
      }
      SweepAxis& shared = made_.axes[axis->second];
      if (shared.steps != steps) {
        throw Error(ErrorCode::bad_value,
                    fmt::format("'{}': {} has {} values and {} has {}, and they walk together", name_,
                                shared.keys.front(), shared.steps, key, steps),
                    "Give them as many values");
      }
      shared.keys.push_back(key);
    }
  }

  std::string name_;
  const std::vector<SweepStage>& known_;
  std::vector<TomlEntry> entries_;
  SweepFile made_;
};

}  // namespace

bool has_name(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

SweepFile read_sweep_file(const std::filesystem::path& file, const std::vector<SweepStage>& known) {
  return Reader(file, known).read();
}

}  // namespace mercer

#include "cli/settings.hpp"

#include <algorithm>
#include <charconv>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <unistd.h>

#include "io/toml.hpp"
#include "mercer/error.hpp"

namespace {

using mercer::Error;
using mercer::ErrorCode;

template <class T>
T parse_number(const std::string& text, const std::string& source, std::string_view kind) {
  T value{};
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble == std::errc{} && end == text.data() + text.size()) return value;
  if (trouble == std::errc::result_out_of_range) {
    throw Error(ErrorCode::out_of_range, fmt::format("{} is '{}', beyond what can be held", source, text),
                "Give a number of a usual size");
  }
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}', which is not {}", source, text, kind),
              fmt::format("Give {}", kind));
}

std::string variable_of(const std::string& name) {
  std::string variable = "MERCER_";
  for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

std::vector<std::string> all_names(const SettingNames& known) {
  std::vector<std::string> names;
  for (const auto& [verb, of_verb] : known) {
    for (const std::string& name : of_verb) {
      if (!has(names, name)) names.push_back(name);
    }
  }
  return names;
}

struct Given {
  std::string text;
  std::string source;
};

std::map<std::string, Given> from_environment(const SettingNames& known) {
  std::vector<std::string> variables;
  std::map<std::string, std::string> name_of;
  for (const std::string& name : all_names(known)) {
    variables.push_back(variable_of(name));
    name_of[variables.back()] = name;
  }
  std::map<std::string, Given> given;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("MERCER_")) continue;
    const std::string variable(text.substr(0, text.find('=')));
    if (!name_of.contains(variable)) mercer::throw_unknown("environment variable", variable, variables);
    given[name_of[variable]] = {std::string(text.substr(variable.size() + 1)), variable};
  }
  return given;
}

std::map<std::string, Given> from_toml(const std::filesystem::path& path, const std::string& verb,
                                       const SettingNames& known) {
  std::map<std::string, Given> given;
  const std::vector<mercer::TomlEntry> entries = mercer::read_toml(path);
  for (const bool own_table : {false, true}) {  // the verb's table comes last and wins
    for (const mercer::TomlEntry& entry : entries) {
      const std::size_t dot = entry.key.find('.');
      if ((dot != std::string::npos) != own_table) continue;
      const std::string source = fmt::format("'{}' line {}: {}", path.string(), entry.line, entry.key);
      std::string name = entry.key;
      if (own_table) {
        const std::string table = entry.key.substr(0, dot);
        std::vector<std::string> verbs;
        for (const auto& [other, names] : known) verbs.push_back(other);
        if (!known.contains(table)) mercer::throw_unknown(fmt::format("table of '{}'", path.string()), table, verbs);
        name = entry.key.substr(dot + 1);
        if (!has(known.at(table), name))
          mercer::throw_unknown("key of " + source.substr(0, source.rfind(':')), name, known.at(table));
        if (table != verb) continue;
      } else if (!has(all_names(known), name)) {
        mercer::throw_unknown("key of " + source.substr(0, source.rfind(':')), name, all_names(known));
      }
      given[name] = {fmt::format("{}", fmt::join(entry.values, ",")), source};
    }
  }
  return given;
}

}  // namespace

template <>
std::string parse_setting(const std::string& text, const std::string&) {
  return text;
}
template <>
std::filesystem::path parse_setting(const std::string& text, const std::string&) {
  return text;
}
template <>
bool parse_setting(const std::string& text, const std::string& source) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no" || text.empty()) return false;
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}', which is neither true nor false", source, text),
              "Give true or false");
}
template <>
double parse_setting(const std::string& text, const std::string& source) {
  return parse_number<double>(text, source, "a number");
}
template <>
std::uint64_t parse_setting(const std::string& text, const std::string& source) {
  return parse_number<std::uint64_t>(text, source, "a whole number, 0 or more");
}
template <>
std::uint32_t parse_setting(const std::string& text, const std::string& source) {
  return parse_number<std::uint32_t>(text, source, "a whole number, 0 to 4294967295");
}
template <>
std::vector<std::uint64_t> parse_setting(const std::string& text, const std::string& source) {
  constexpr std::string_view kind = "whole numbers with ',' or 'x' between them";
  std::vector<std::uint64_t> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",x", begin), text.size());
    values.push_back(parse_number<std::uint64_t>(text.substr(begin, end - begin), source, kind));
    begin = end + 1;
  }
  return values;
}

template <>
std::vector<std::string> parse_setting(const std::string& text, const std::string& source) {
  std::vector<std::string> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    values.push_back(text.substr(begin, end - begin));
    if (values.back().empty()) {
      throw mercer::Error(mercer::ErrorCode::bad_value,
                          fmt::format("{} is '{}': a word is missing beside a comma", source, text),
                          "Give words with ',' between them");
    }
    begin = end + 1;
  }
  return values;
}

Setting& Settings::add_text(Setting setting) {
  const std::string flag = "--" + setting.name;
  if (setting.value.empty()) {
    setting.option = app_.add_flag(flag);
  } else {
    setting.option = app_.add_option(flag)->type_name(setting.value);
    if (setting.may_stand_alone) setting.option->expected(0, 1);
  }
  setting.option->description(setting.takes_only_choices
                                  ? fmt::format("{}: {}", setting.help, fmt::join(setting.choices, ", "))
                                  : setting.help);
  setting.option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return settings_.emplace_back(std::move(setting));
}

std::string Settings::known_choice(const std::string& name, const std::string& text,
                                   const std::vector<std::string>& known) {
  if (!has(known, text)) mercer::throw_unknown("choice of --" + name, text, known);
  return text;
}

std::string text_of(const Setting& setting) {
  const std::string text = setting.option->results().back();
  return text.empty() && setting.may_stand_alone ? "true" : text;
}

std::map<std::string, std::string> said(const Settings& settings) {
  std::map<std::string, std::string> all;
  for (const Setting& setting : settings.all()) {
    if (setting.option->count() > 0) all[setting.name] = text_of(setting);
  }
  return all;
}

std::map<std::string, std::string> lasting(const Settings& settings) {
  std::map<std::string, std::string> all = said(settings);
  for (const char* fleeting : {"scratch", "threads", "batch", "quiet", "json", "log-level", "out", "results"}) {
    all.erase(fleeting);
  }
  return all;
}

void check_values(const Settings& settings) {
  for (const Setting& setting : settings.all()) {
    if (setting.option->count() == 0) continue;
    const std::string text = text_of(setting);
    for (const Setting& other : settings.all()) {
      if (text != "--" + other.name) continue;
      throw Error(ErrorCode::missing_option, fmt::format("--{} has no value: {} follows it", setting.name, text),
                  fmt::format("Write --{} {}", setting.name, setting.value));
    }
  }
}

void fill_settings(const Settings& settings, const std::string& verb, const SettingNames& known,
                   const std::optional<std::filesystem::path>& config) {
  const std::map<std::string, Given> environment = from_environment(known);
  const std::map<std::string, Given> toml = config ? from_toml(*config, verb, known) : std::map<std::string, Given>{};
  for (const Setting& setting : settings.all()) {
    if (setting.option->count() > 0) {
      setting.assign(text_of(setting), "--" + setting.name);
    } else if (const auto variable = environment.find(setting.name); variable != environment.end()) {
      setting.assign(variable->second.text, variable->second.source);
    } else if (const auto entry = toml.find(setting.name); entry != toml.end()) {
      setting.assign(entry->second.text, entry->second.source);
    }
  }
}

#include "cli/settings.hpp"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "io/documents.hpp"
#include "mercer/error.hpp"

namespace {

using mercer::Error;
using mercer::ErrorCode;
using mercer::Option;

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

std::string help_of(const std::string& verb) { return fmt::format("'mercer {} --help'", verb); }

// A word that was given by place, without its flag, and must be one of the option's choices.
void check_word(const Option& option, const std::string& verb, const std::string& word) {
  if (has(option.choices, word)) return;
  const std::string problem =
      fmt::format("'{}' is not a {}; legal: {}", word, option.name, fmt::join(option.choices, ", "));
  const std::string nearest = mercer::nearest_name(word, option.choices);
  throw Error(ErrorCode::unknown_name, problem,
              word.ends_with(".mercer")
                  ? fmt::format("Write the {} first: mercer {} {} {}", option.name, verb, option.choices.front(), word)
              : nearest.empty() ? "Give one of them"
                                : fmt::format("Did you mean '{}'?", nearest));
}

struct Given {
  std::string text;
  std::string source;
};

[[noreturn]] void unknown_variable(const std::string& variable, const std::string& verb,
                                   const std::vector<std::string>& names) {
  std::string name = variable.substr(variable_of("").size());
  for (char& c : name) c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  mercer::throw_unknown_option({verb, name, "environment variable", variable, variable_of, help_of(verb)}, names);
}

std::map<std::string, Given> from_environment(const std::string& verb, const SettingNames& known) {
  const std::vector<std::string> names = all_names(known);
  std::map<std::string, std::string> name_of;
  for (const std::string& name : names) name_of[variable_of(name)] = name;
  std::map<std::string, Given> given;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("MERCER_")) continue;
    const std::string variable(text.substr(0, text.find('=')));
    if (!name_of.contains(variable)) unknown_variable(variable, verb, names);
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
      const auto check = [&](const std::string& of, const std::vector<std::string>& names) {
        if (has(names, name)) return;
        const std::string kind = fmt::format("key of '{}' line {}", path.string(), entry.line);
        mercer::throw_unknown_option({of, name, kind, name, std::identity{}, help_of(of)}, names);
      };
      if (own_table) {
        const std::string table = entry.key.substr(0, dot);
        std::vector<std::string> verbs;
        for (const auto& [other, names] : known) verbs.push_back(other);
        if (!known.contains(table)) mercer::throw_unknown(fmt::format("table of '{}'", path.string()), table, verbs);
        name = entry.key.substr(dot + 1);
        check(table, known.at(table));
        if (table != verb) continue;
      } else {
        check(verb, all_names(known));
      }
      given[name] = {fmt::format("{}", fmt::join(entry.values, ",")), source};
    }
  }
  return given;
}

}  // namespace

std::string variable_of(const std::string& name) {
  std::string variable = "MERCER_";
  for (const char c : name) variable += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return variable;
}

void Settings::add(mercer::OptionList list) {
  for (const Option& option : list.all()) {
    const std::string flag = "--" + option.name;
    CLI::Option* made = nullptr;
    if (option.value.empty()) {
      made = app_.add_flag(flag);
    } else {
      made = app_.add_option(flag)->type_name(option.value);
      if (option.is_switch) made->expected(0, 1);
    }
    made->description(option.full_help());
    made->group(option.used_first ? "Most used" : std::string(mercer::name(option.group)));
    made->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    flags_[option.name] = made;
  }
  lists_.push_back(std::move(list));
}

void Settings::add_positional(const std::string& label, const std::string& name) {
  for (const Option* option : all()) {
    if (option->name == name) positionals_[name] = app_.add_option(label)->description(option->help)->type_name("");
  }
}

std::vector<const Option*> Settings::all() const {
  std::vector<const Option*> options;
  for (const mercer::OptionList& list : lists_) {
    for (const Option& option : list.all()) options.push_back(&option);
  }
  return options;
}

void Settings::fill(const std::string& name, const std::string& text, const std::string& source) {
  for (mercer::OptionList& list : lists_) {
    if (list.find(name) != nullptr) return list.fill(name, text, source);
  }
}

std::optional<std::string> Settings::flag(const std::string& name) const {
  const auto given = [&](const std::map<std::string, CLI::Option*>& where) {
    const auto found = where.find(name);
    return found == where.end() || found->second->count() == 0 ? nullptr : found->second;
  };
  const CLI::Option* found = given(flags_) != nullptr ? given(flags_) : given(positionals_);
  if (found == nullptr) return std::nullopt;
  const std::string text = found->results().back();
  const bool alone = text.empty() && std::ranges::any_of(lists_, [&](const mercer::OptionList& list) {
                       const Option* option = list.find(name);
                       return option != nullptr && option->is_switch;
                     });
  return alone ? "true" : text;
}

bool Settings::by_place(const std::string& name) const {
  const auto flag = flags_.find(name), place = positionals_.find(name);
  return place != positionals_.end() && place->second->count() > 0 &&
         (flag == flags_.end() || flag->second->count() == 0);
}

void check_values(const Settings& settings) {
  for (const Option* option : settings.all()) {
    const auto text = settings.flag(option->name);
    if (!text) continue;
    for (const Option* other : settings.all()) {
      if (*text != "--" + other->name) continue;
      throw Error(ErrorCode::missing_option, fmt::format("--{} has no value: {} follows it", option->name, *text),
                  fmt::format("Write --{} {}", option->name, option->value));
    }
  }
}

void fill_settings(Settings& settings, const std::string& verb, const SettingNames& known,
                   const std::optional<std::filesystem::path>& config) {
  const std::map<std::string, Given> environment = from_environment(verb, known);
  const std::map<std::string, Given> toml = config ? from_toml(*config, verb, known) : std::map<std::string, Given>{};
  for (const Option* option : settings.all()) {
    const std::string& name = option->name;
    if (const auto text = settings.flag(name)) {
      if (option->only_choices && settings.by_place(name)) check_word(*option, verb, *text);
      settings.fill(name, *text, "--" + name);
    } else if (const auto variable = environment.find(name); variable != environment.end()) {
      settings.fill(name, variable->second.text, variable->second.source);
    } else if (const auto entry = toml.find(name); entry != toml.end()) {
      settings.fill(name, entry->second.text, entry->second.source);
    }
  }
}

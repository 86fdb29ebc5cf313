#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "mercer/names.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// Text from a flag, an environment variable or a TOML file, to the type of an option. Throws `bad_value`; `source`
/// names where the text stood.
template <class T>
T parse_setting(const std::string& text, const std::string& source);
/// The code of an enum. Throws `unknown_name`.
template <mercer::Named T>
T parse_setting(const std::string& text, const std::string&) {
  return mercer::parse<T>(text);
}

/// One setting of a verb. The same setting can come from `--max-loss`, `MERCER_MAX_LOSS` and `max-loss = ...`.
struct Setting {
  std::string name;                       ///< without dashes
  std::string help;                       ///< one line
  std::string value;                      ///< what it takes, such as FILE; empty for a switch
  std::vector<std::string> choices = {};  ///< words that shells offer
  bool takes_only_choices = false;
  std::function<void(const std::string& text, const std::string& source)> assign = {};
  CLI::Option* option = nullptr;
  bool may_stand_alone = false;  ///< without a value it is true
};

/// The settings of one verb.
class Settings {
 public:
  explicit Settings(CLI::App& app) : app_(app) {}

  /// A setting that fills `field`, whose present value is the default.
  template <class T>
  Setting& add(Setting setting, T& field) {
    setting.may_stand_alone = std::is_same_v<T, bool>;
    setting.assign = [&field](const std::string& text, const std::string& source) {
      field = parse_setting<T>(text, source);
    };
    return add_text(std::move(setting));
  }
  template <class T>
  Setting& add(Setting setting, std::optional<T>& field) {
    setting.may_stand_alone = std::is_same_v<T, bool>;
    setting.assign = [&field](const std::string& text, const std::string& source) {
      field = parse_setting<T>(text, source);
    };
    return add_text(std::move(setting));
  }
  /// A setting that brings its own `assign`.
  Setting& add(Setting setting) { return add_text(std::move(setting)); }
  /// A setting that takes one of a few words.
  template <class T>
  Setting& add_choice(Setting setting, T& field, std::map<std::string, T> words) {
    for (const auto& [word, value] : words) setting.choices.push_back(word);
    setting.takes_only_choices = true;
    setting.assign = [&field, words, name = setting.name](const std::string& text, const std::string&) {
      field = words.at(known_choice(name, text, words));
    };
    return add_text(std::move(setting));
  }
  /// A setting that takes the codes of an enum.
  template <mercer::Named E>
  Setting& add_choice(Setting setting, E& field) {
    return add_choice(std::move(setting), field, codes<E, E>());
  }
  template <mercer::Named E>
  Setting& add_choice(Setting setting, std::optional<E>& field) {
    return add_choice(std::move(setting), field, codes<E, std::optional<E>>());
  }

  const std::vector<Setting>& all() const { return settings_; }

 private:
  Setting& add_text(Setting setting);
  template <class E, class T>
  static std::map<std::string, T> codes() {
    std::map<std::string, T> all;
    for (const mercer::Spelling<E>& row : mercer::Names<E>::table) all.emplace(row.code, row.value);
    return all;
  }
  template <class T>
  static std::string known_choice(const std::string& name, const std::string& text,
                                  const std::map<std::string, T>& words) {
    std::vector<std::string> known;
    known.reserve(words.size());
    for (const auto& [word, value] : words) known.push_back(word);
    return known_choice(name, text, known);
  }
  static std::string known_choice(const std::string& name, const std::string& text,
                                  const std::vector<std::string>& known);

  CLI::App& app_;
  std::vector<Setting> settings_;
};

/// What a setting was given on the command line, where it was.
std::string text_of(const Setting& setting);
/// What the command line said, by name: told in the files that a verb makes.
std::map<std::string, std::string> said(const Settings& settings);
/// The same without what changes no byte of an embedding: a file tells how it was made, not where and how fast.
std::map<std::string, std::string> lasting(const Settings& settings);

/// Throws `missing_option` where a flag was taken for the value of the one before, as in `--out --json`.
void check_values(const Settings& settings);

/// Settings that every source may name: those of all verbs, by verb.
using SettingNames = std::map<std::string, std::vector<std::string>>;

/// Fills the settings of `verb` from where they were given: a flag wins over the environment, that over the TOML file
/// (the table [verb] over the top), that over the default. Throws `unknown_name` for a variable MERCER_* or a TOML key
/// that no verb knows.
void fill_settings(const Settings& settings, const std::string& verb, const SettingNames& known,
                   const std::optional<std::filesystem::path>& config);

#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/options.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The options of one verb as flags. The same option can come from `--max-loss`, `MERCER_MAX_LOSS` and `max-loss =
/// ...`.
class Settings {
 public:
  explicit Settings(CLI::App& app) : app_(app) {}

  /// Adds a flag for every option of the list; what the list fills must outlive this.
  void add(mercer::OptionList list);

  /// The option can also be given by place, as in `mercer inspect FILE`.
  void add_positional(const std::string& label, const std::string& option);

  /// All options, in the order they were added.
  std::vector<const mercer::Option*> all() const;
  /// Fills an option. Throws what its parser throws.
  void fill(const std::string& name, const std::string& text, const std::string& source);
  /// What the command line gave for an option, if anything. A switch that stands alone is "true".
  std::optional<std::string> flag(const std::string& name) const;
  /// Whether the command line gave an option by place, without its flag.
  bool by_place(const std::string& name) const;

 private:
  CLI::App& app_;
  std::vector<mercer::OptionList> lists_;
  std::map<std::string, CLI::Option*> flags_, positionals_;
};

/// Throws `missing_option` where a flag was taken for the value of the one before, as in `--out --json`.
void check_values(const Settings& settings);

/// Settings that every source may name: those of all verbs, by verb.
using SettingNames = std::map<std::string, std::vector<std::string>>;

/// Fills the options of `verb` from where they were given: a flag wins over the environment, that over the TOML file
/// (the table [verb] over the top), that over the default. Throws `unknown_name` for a variable MERCER_* or a TOML key
/// that no verb knows.
void fill_settings(Settings& settings, const std::string& verb, const SettingNames& known,
                   const std::optional<std::filesystem::path>& config);

/// The environment variable of an option.
std::string variable_of(const std::string& option);

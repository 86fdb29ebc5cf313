#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "mercer/names.hpp"
#include "mercer/pipeline.hpp"

namespace mercer {

/// The part of a verb that an option belongs to: help, manual page and documents list options under these headings.
enum class OptionGroup { task, policy, network, training, search, promise, lattice, continuous, output, run };
template <>
struct Names<OptionGroup> {
  static constexpr std::string_view kind = "group of options";
  static constexpr Spelling<OptionGroup> table[] = {
      {OptionGroup::task, "task"},       {OptionGroup::policy, "policy"},
      {OptionGroup::network, "network"}, {OptionGroup::training, "training"},
      {OptionGroup::search, "search"},   {OptionGroup::promise, "promise"},
      {OptionGroup::lattice, "lattice"}, {OptionGroup::continuous, "continuous"},
      {OptionGroup::output, "output"},   {OptionGroup::run, "run"}};
};

/// Legal values of a number, both ends included unless `open`.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  bool open = false;  ///< the ends themselves are not legal

  bool contains(double value) const { return open ? value > low && value < high : value >= low && value <= high; }
  /// In words, such as "0 to 1" or "0% to 100%"; empty where everything is legal.
  std::string text(bool percent = false) const;
};

/// What a declaration says about an option, besides the field that it fills.
struct OptionSpec {
  std::string name;        ///< --max-loss, MERCER_MAX_LOSS, `max-loss = ...` in TOML, max_loss=... in Python
  std::string value = {};  ///< what it takes, such as FILE; empty: a switch
  std::string help = {};   ///< one sentence, without the default and without the range
  OptionRange range = {};
  std::string standard = {};              ///< the default in words, where the field alone does not show it
  std::vector<std::string> choices = {};  ///< words that completions offer
  bool only_choices = false;              ///< and nothing else is legal
  bool used_first = false;                ///< among the few that people use first
  bool shapes_result = true;              ///< stored with an embedding; false: changes no byte of it
  std::optional<Route> route = {};        ///< only this route reads it
};

/// One option of a verb: the only place where it is spelled. Every face reads names, defaults, ranges and help here.
struct Option : OptionSpec {
  OptionGroup group = OptionGroup::run;
  bool is_switch = false;                                                  ///< true or false; alone it means true
  std::function<std::optional<std::string>()> text = {};                   ///< of the field now; none where it is unset
  std::function<void(const std::string&, const std::string&)> parse = {};  ///< fills the field: text, and its source

  /// What the default is, in words; empty where there is none.
  std::string default_text() const { return standard_text; }
  /// What is legal in words: the choices, or the range.
  std::string legal_text() const;
  /// Help with what is legal and the default.
  std::string full_help() const;

  std::string standard_text = {};  ///< filled when the option is declared
};

/// Text to the type of a field, and back. `source` names where the text stood, for the error. Declared for the types
/// that requests hold; enumerations are declared by `OptionList::add_choice`.
template <class T>
T parse_option(const std::string& text, const std::string& source);
template <class T>
std::string option_text(const T& value);

/// A fraction: "1%" or "0.01". Throws `out_of_range` outside `range`, and above 1 without a percent sign.
double parse_share(const std::string& text, const OptionRange& range, const std::string& source);
/// A duration: "60s", "5m", "2h" or seconds.
double parse_seconds(const std::string& text, const std::string& source);

/// The options of one request. Filling an option fills the request's field.
class OptionList {
 public:
  /// `given` receives the names of options that are filled; both must outlive this.
  explicit OptionList(std::set<std::string>& given) : given_(given) {}

  /// Options that are added from now on belong here.
  OptionList& in(OptionGroup group) {
    group_ = group;
    return *this;
  }
  OptionList& of(std::optional<Route> route) {
    route_ = route;
    return *this;
  }

  template <class T>
  void add(OptionSpec spec, T& field) {
    add_parsed(std::move(spec), field, parse_option<T>, std::is_same_v<T, bool>);
  }
  template <class T>
  void add(OptionSpec spec, std::optional<T>& field) {  // NOLINT(performance-unnecessary-value-param): it is moved
    Option& option = declare(std::move(spec), std::is_same_v<T, bool>);
    option.text = [&field]() -> std::optional<std::string> {
      if (!field) return std::nullopt;
      return option_text(*field);
    };
    option.parse = [&field, range = option.range](const std::string& text, const std::string& source) {
      field = checked(range, parse_option<T>(text, source), source);
    };
    finish(option);
  }
  /// A share such as 1%; "none" unsets one that need not be given. `Field` is double or std::optional<double>.
  template <class Field>
  void add_share(OptionSpec spec, Field& field) {
    const auto parse = [range = spec.range](const std::string& text, const std::string& source) -> Field {
      if constexpr (!std::is_same_v<Field, double>) {
        if (text == "none") return std::nullopt;
      }
      return parse_share(text, range, source);
    };
    add_parsed(std::move(spec), field, parse, false);
  }
  /// A duration such as 5m.
  template <class Field>
  void add_seconds(OptionSpec spec, Field& field) {
    add_parsed(std::move(spec), field, parse_seconds, false);
  }
  /// One of a few words. `Field` is T or std::optional<T>.
  template <class T, class Field>
  void add_choice(OptionSpec spec, Field& field, const std::vector<std::pair<std::string, T>>& words) {
    spec.only_choices = true;
    for (const auto& [word, value] : words) spec.choices.push_back(word);
    Option& option = declare(std::move(spec), false);
    option.text = [&field, words]() -> std::optional<std::string> {
      for (const auto& [word, value] : words) {
        if (field == Field(value)) return word;
      }
      return std::nullopt;
    };
    option.parse = [&field, words](const std::string& text, const std::string& source) {
      std::vector<std::string> known;
      for (const auto& [word, value] : words) {
        if (word == text) return void(field = value);
        known.push_back(word);
      }
      throw_unknown_choice(source, text, known);
    };
    finish(option);
  }
  /// A value of an enum, by its codes. `Field` is E or std::optional<E>.
  template <class Field>
  void add_name(OptionSpec spec, Field& field) {
    using E = typename value_type<Field>::type;
    std::vector<std::pair<std::string, E>> words;
    for (const Spelling<E>& row : Names<E>::table) words.emplace_back(std::string(row.code), row.value);
    add_choice<E>(std::move(spec), field, words);
  }
  /// A field with a parser and a printer of its own.
  template <class Field, class Parse, class Print>
  void add_text(OptionSpec spec, Field& field, Parse parse, Print print) {
    Option& option = declare(std::move(spec), false);
    option.text = [&field, print] { return print(field); };
    option.parse = [&field, parse](const std::string& text, const std::string& source) { parse(field, text, source); };
    finish(option);
  }

  const std::vector<Option>& all() const { return options_; }
  const Option* find(const std::string& name) const;
  /// Fills the field of an option and remembers that it was given. Throws `unknown_name` with the nearest name.
  void fill(const std::string& name, const std::string& text, const std::string& source);
  /// Whether a face filled it.
  bool given(const std::string& name) const { return given_.contains(name); }

 private:
  template <class Field, class Parse>
  void add_parsed(OptionSpec spec, Field& field, Parse parse, bool is_switch) {
    Option& option = declare(std::move(spec), is_switch);
    option.text = [&field]() -> std::optional<std::string> { return field_text(field); };
    option.parse = [&field, parse, range = option.range](const std::string& text, const std::string& source) {
      field = checked(range, parse(text, source), source);
    };
    finish(option);
  }
  template <class T>
  struct value_type {
    using type = T;
  };
  template <class T>
  struct value_type<std::optional<T>> {
    using type = T;
  };
  template <class T>
  static std::optional<std::string> field_text(const T& field) {
    return option_text(field);
  }
  template <class T>
  static std::optional<std::string> field_text(const std::optional<T>& field) {
    if (!field) return std::nullopt;
    return option_text(*field);
  }
  template <class T>
  static T checked(const OptionRange& range, T value, const std::string& source) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      check_range(range, static_cast<double>(value), source);
    }
    return value;
  }
  static void check_range(const OptionRange& range, double value, const std::string& source);
  [[noreturn]] static void throw_unknown_choice(const std::string& source, const std::string& text,
                                                const std::vector<std::string>& known);
  Option& declare(OptionSpec spec, bool is_switch);
  void finish(Option& option);

  std::set<std::string>& given_;
  OptionGroup group_ = OptionGroup::run;
  std::optional<Route> route_;
  std::vector<Option> options_;
};

/// The options of each request, in the order in which help lists them.
OptionList options_of(RolloutRequest& request);
OptionList options_of(EvaluateRequest& request);
OptionList options_of(EmbedRequest& request);
OptionList options_of(CompressRequest& request);
OptionList options_of(CertifyRequest& request);
OptionList options_of(ExportRequest& request);
OptionList options_of(InspectRequest& request);
OptionList options_of(TrainRequest& request);

/// Every option that shapes the result and differs from its default, wherever it came from: what a file stores about
/// how it was made, and all that `request` follows from.
template <class R>
std::map<std::string, std::string> settings_of(const R& request) {
  R filled = request, plain;
  return differences(options_of(filled), options_of(plain));
}
std::map<std::string, std::string> differences(const OptionList& filled, const OptionList& plain);

/// Throws `bad_value` for an option that was given and that only the other route reads.
void refuse_other_route(const OptionList& options, Route route);

/// A name that people try and that is no option, and the options that do what they look for.
struct OptionHint {
  std::string verb, name;
  std::vector<std::string> means;
};
const std::vector<OptionHint>& option_hints();

/// An option that its verb does not have, and how the face where it was given writes options.
struct UnknownOption {
  std::string verb, name;                                       ///< "embed", "states"
  std::string kind, written;                                    ///< "flag of 'mercer embed'", "--states"
  std::function<std::string(const std::string& option)> spell;  ///< max-loss to --max-loss or max_loss
  std::string where;                                            ///< lists all options: "'mercer embed --help'"
};
/// Throws `unknown_name`. Suggests the options of the name's hint, else the nearest of the `known` names, else the
/// three nearest and where all are listed.
[[noreturn]] void throw_unknown_option(const UnknownOption& unknown, std::vector<std::string> known);

/// A verb whose request a face can fill by name: for help, documents, sweeps and Python alike.
struct VerbOptions {
  std::string verb;
  std::vector<Option> options;
};
/// All verbs of the pipeline with their options at their defaults.
std::vector<VerbOptions> all_options();

}  // namespace mercer

#include "pipeline/options.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

template <class T>
T parse_number(const std::string& text, const std::string& source, std::string_view kind) {
  T value{};
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = trouble == std::errc{} && end == text.data() + text.size();
  if (whole && value == value) return value;  // NaN compares with nothing, so that no limit would hold
  if (trouble == std::errc::result_out_of_range) {
    throw Error(ErrorCode::out_of_range, fmt::format("{} is '{}', which is too large to hold", source, text),
                "Give a smaller number");
  }
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}', which is not {}", source, text, kind),
              fmt::format("Give {}", kind));
}

std::vector<std::string> split(const std::string& text, std::string_view separators) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

template <class T>
std::vector<T> parse_numbers(const std::string& text, const std::string& source, std::string_view separators,
                             std::string_view kind) {
  std::vector<T> values;
  for (const std::string& part : split(text, separators)) values.push_back(parse_number<T>(part, source, kind));
  return values;
}

// The number before a unit.
double scaled(const std::string& text, std::size_t unit, const std::string& source, const char* remedy) {
  double value = NAN;
  const char* end = text.data() + text.size() - unit;
  const auto [stop, trouble] = std::from_chars(text.data(), end, value);
  if (trouble == std::errc{} && stop == end && std::isfinite(value)) return value;
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}', which is not a number", source, text), remedy);
}

std::string number_text(double value) {
  if (value == 0x1p64 || value == 0x1p32) return fmt::format("2^{}", value == 0x1p64 ? 64 : 32);
  if (std::abs(value) >= 1e5) {
    for (int power = 5; power <= 18; ++power) {
      if (value == std::pow(10.0, power)) return fmt::format("10^{}", power);
    }
  }
  return fmt::format("{}", value);
}

}  // namespace

std::string OptionRange::text(bool percent) const {
  const auto end = [&](double value) { return percent ? number_text(100 * value) + "%" : number_text(value); };
  const bool has_low = std::isfinite(low), has_high = std::isfinite(high);
  if (!has_low && !has_high) return "";
  if (!has_high) return open ? "above " + end(low) : end(low) + " or more";
  if (!has_low) return "at most " + end(high);
  return open ? fmt::format("between {} and {}", end(low), end(high)) : fmt::format("{} to {}", end(low), end(high));
}

std::string Option::legal_text() const {
  return only_choices ? fmt::format("{}", fmt::join(choices, ", ")) : range.text();
}

std::string Option::full_help() const {
  std::string out = help;
  if (const std::string legal = legal_text(); !legal.empty()) out += (only_choices ? ": " : ", ") + legal;
  if (!standard_text.empty()) out += fmt::format(" [{}]", standard_text);
  return out;
}

template <>
std::string parse_option(const std::string& text, const std::string&) {
  return text;
}
template <>
bool parse_option(const std::string& text, const std::string& source) {
  if (text == "true" || text == "1" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "no" || text.empty()) return false;
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}', which is neither true nor false", source, text),
              "Give true or false");
}
template <>
double parse_option(const std::string& text, const std::string& source) {
  return parse_number<double>(text, source, "a number");
}
template <>
std::uint64_t parse_option(const std::string& text, const std::string& source) {
  return parse_number<std::uint64_t>(text, source, "an integer, 0 or more");
}
template <>
std::uint32_t parse_option(const std::string& text, const std::string& source) {
  return parse_number<std::uint32_t>(text, source, "an integer, 0 to 4294967295");
}
template <>
std::vector<std::uint64_t> parse_option(const std::string& text, const std::string& source) {
  return parse_numbers<std::uint64_t>(text, source, ",x", "integers separated by ',' or 'x'");
}
template <>
std::vector<std::uint8_t> parse_option(const std::string& text, const std::string& source) {
  return parse_numbers<std::uint8_t>(text, source, ",x", "integers from 0 to 255, separated by ','");
}
template <>
std::vector<double> parse_option(const std::string& text, const std::string& source) {
  return parse_numbers<double>(text, source, ",;", "numbers separated by ','");
}
template <>
std::vector<std::string> parse_option(const std::string& text, const std::string& source) {
  std::vector<std::string> words = split(text, ",");
  if (std::ranges::find(words, "") == words.end()) return words;
  throw Error(ErrorCode::bad_value, fmt::format("{} is '{}': an entry next to a comma is empty", source, text),
              "Give words separated by ','");
}

template <>
std::string option_text(const std::string& value) {
  return value;
}
template <>
std::string option_text(const bool& value) {
  return value ? "true" : "false";
}
template <>
std::string option_text(const double& value) {
  return fmt::format("{}", value);
}
template <>
std::string option_text(const std::uint64_t& value) {
  return fmt::format("{}", value);
}
template <>
std::string option_text(const std::uint32_t& value) {
  return fmt::format("{}", value);
}
template <>
std::string option_text(const std::vector<std::uint64_t>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
template <>
std::string option_text(const std::vector<std::uint8_t>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
template <>
std::string option_text(const std::vector<double>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}
template <>
std::string option_text(const std::vector<std::string>& value) {
  return fmt::format("{}", fmt::join(value, ","));
}

template <>
std::string option_text(const DictionaryBasis& value) {
  for (const std::string& text : known_continuous_bases()) {
    const DictionaryBasis one(text);
    if (one.kind == value.kind && one.family == value.family && one.kernel == value.kernel) return text;
  }
  throw Error(ErrorCode::bad_value, "a dictionary has no name", "Use one of those that 'mercer list' shows");
}
template <>
std::string option_text(const std::vector<DictionaryOptions>& value) {
  std::vector<std::string> names;
  for (const DictionaryOptions& one : value) names.push_back(option_text(one.basis));
  return option_text(names);
}
template <>
std::string option_text(const std::vector<NumberFormat>& value) {
  std::vector<std::string> names;
  for (const NumberFormat format : value) names.emplace_back(name(format));
  return option_text(names);
}

double parse_share(const std::string& text, const OptionRange& range, const std::string& source) {
  constexpr auto remedy = "Give a percentage such as 5%, or a fraction such as 0.05";
  const bool percent = text.ends_with('%');
  const double value = scaled(text, percent ? 1 : 0, source, remedy) / (percent ? 100 : 1);
  // 1 is more likely a forgotten percent sign than 100%.
  const bool forgotten = !percent && value >= 1 && range.contains(value / 100);
  const std::string likely = forgotten ? fmt::format("Did you mean {}%?", text) : remedy;
  if (forgotten && range.high > 1) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("{} is {}, that is {:g}%; legal: below 1, or a number with %", source, text, 100 * value),
                likely);
  }
  if (range.contains(value)) return value;
  throw Error(ErrorCode::out_of_range, fmt::format("{} is {}; legal: {}", source, text, range.text(percent)), likely);
}

double parse_seconds(const std::string& text, const std::string& source) {
  constexpr auto remedy = "Give a time such as 60s, 5m or 2h";
  const char unit = text.empty() ? 's' : text.back();
  const bool has_unit = unit == 's' || unit == 'm' || unit == 'h';
  const double value = scaled(text, has_unit ? 1 : 0, source, remedy);
  require_in_range(source, value, 0, 1e6, remedy);
  return (unit == 'h' ? 3600 : unit == 'm' ? 60 : 1) * value;
}

Option& OptionList::declare(OptionSpec spec, bool is_switch) {
  Option& option = options_.emplace_back();
  static_cast<OptionSpec&>(option) = std::move(spec);
  option.group = group_;
  option.route = route_;
  option.is_switch = is_switch;
  return option;
}

void OptionList::finish(Option& option) {
  option.standard_text = option.standard;
  if (option.standard_text.empty() && !(option.is_switch && option.value.empty())) {
    option.standard_text = option.text().value_or("");
  }
}

const Option* OptionList::find(const std::string& name) const {
  const auto found = std::ranges::find(options_, name, &Option::name);
  return found == options_.end() ? nullptr : &*found;
}

void OptionList::fill(const std::string& name, const std::string& text, const std::string& source) {
  const Option* option = find(name);
  if (option == nullptr) {
    std::vector<std::string> known;
    for (const Option& one : options_) known.push_back(one.name);
    throw_unknown("option", name, known);
  }
  option->parse(text, source);
  given_.insert(name);
}

void OptionList::check_range(const OptionRange& range, double value, const std::string& source) {
  if (range.contains(value)) return;
  throw Error(ErrorCode::out_of_range, fmt::format("{} is {}; legal: {}", source, value, range.text()),
              "Give a value in that range");
}

void OptionList::throw_unknown_choice(const std::string& source, const std::string& text,
                                      const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(text, known);
  throw Error(ErrorCode::unknown_name, fmt::format("{} is '{}'; legal: {}", source, text, fmt::join(known, ", ")),
              nearest.empty() ? "Give one of them" : fmt::format("Did you mean '{}'?", nearest));
}

void throw_unknown_option(const UnknownOption& unknown, std::vector<std::string> known) {
  const std::string& name = unknown.name;
  const auto quoted = [&](const std::string& option) { return fmt::format("'{}'", unknown.spell(option)); };
  std::string remedy;
  for (const OptionHint& hint : option_hints()) {
    if (hint.verb != unknown.verb || hint.name != name) continue;
    for (const std::string& option : hint.means) {
      remedy += remedy.empty() ? "Did you mean " : option == hint.means.back() ? " or " : ", ";
      remedy += quoted(option);
    }
    remedy += '?';
    if (hint.means.size() > 1) remedy += fmt::format(" {} explains them", unknown.where);
  }
  if (const std::string nearest = nearest_name(name, known); remedy.empty() && !nearest.empty()) {
    remedy = fmt::format("Did you mean {}?", quoted(nearest));
  }
  if (remedy.empty()) {
    std::ranges::stable_sort(known, {}, [&](const std::string& option) { return edit_distance(name, option); });
    known.resize(std::min<std::size_t>(known.size(), 3));
    std::ranges::transform(known, known.begin(), unknown.spell);
    remedy = fmt::format("The nearest names are {}; {} lists all", fmt::join(known, ", "), unknown.where);
  }
  throw Error(ErrorCode::unknown_name, fmt::format("no {} is called '{}'", unknown.kind, unknown.written), remedy);
}

std::map<std::string, std::string> differences(const OptionList& filled, const OptionList& plain) {
  std::map<std::string, std::string> out;
  for (std::size_t i = 0; i < filled.all().size(); ++i) {
    const Option& option = filled.all()[i];
    const auto now = option.text();
    if (option.shapes_result && now && now != plain.all()[i].text()) out[option.name] = *now;
  }
  return out;
}

void refuse_other_route(const OptionList& options, Route route) {
  const std::string_view own = mercer::name(route);
  const std::string_view other = mercer::name(route == Route::lattice ? Route::continuous : Route::lattice);
  for (const Option& option : options.all()) {
    if (!option.route || *option.route == route || !options.given(option.name)) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("--{} belongs to the {} route, and this is the {} route", option.name, other, own),
                fmt::format("Leave it out, or use --route {}", other));
  }
}

}  // namespace mercer

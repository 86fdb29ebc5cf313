#include "policy/naming.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "policy/files.hpp"

namespace mercer {
namespace {

constexpr std::array<std::string_view, 5> keys{"names", "units", "action-names", "action-units", "period"};
constexpr std::size_t longest_name = 40, longest_unit = 20, most_steps_ago = 999;
constexpr double longest_period = 1e4;

bool is_letter(char c) { return c > 0 && std::isalpha(static_cast<unsigned char>(c)) != 0; }

bool all_among(std::string_view text, std::string_view others) {
  return std::ranges::all_of(
      text, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || others.find(c) != std::string_view::npos; });
}

void check_name(const std::string& name, const PolicySetting& setting) {
  const std::optional<EarlierValue> earlier = earlier_value(name);
  const std::string& plain = earlier ? earlier->name : name;
  if (!plain.empty() && plain.size() <= longest_name && is_letter(plain[0]) && all_among(plain, "_. -")) return;
  throw Error(
      ErrorCode::bad_value, fmt::format("{}: '{}' in {} is not a legal name", setting.source, name, setting.key),
      fmt::format("Give 1 to {} letters, digits, '_', '.', '-' and spaces, a letter first; NAME[t-1] is its value "
                  "one step ago, up to [t-{}]",
                  longest_name, most_steps_ago));
}

void check_unit(const std::string& unit, const PolicySetting& setting) {
  if (unit.size() <= longest_unit && all_among(unit, " /*^.-+%()_")) return;
  throw Error(
      ErrorCode::bad_value, fmt::format("{}: '{}' in {} is not a legal unit", setting.source, unit, setting.key),
      fmt::format("Give at most {} letters, digits, spaces and any of / * ^ . - + % ( ) _, such as rad/s; leave an "
                  "entry empty where there is no unit",
                  longest_unit));
}

std::vector<std::string> names_in(const PolicySetting& setting) {
  std::vector<std::string> names = split_list(setting.value);
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_name(names[i], setting);
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) - names.begin() ==
        static_cast<std::ptrdiff_t>(i)) {
      continue;
    }
    throw Error(ErrorCode::bad_value, fmt::format("{}: {} has '{}' twice", setting.source, setting.key, names[i]),
                "Give every one a name of its own");
  }
  return names;
}

double period_in(const PolicySetting& setting) {
  double period = 0;
  const char* const end = setting.value.data() + setting.value.size();
  const auto [stop, trouble] = std::from_chars(setting.value.data(), end, period);
  if (trouble == std::errc{} && stop == end && period > 0 && period <= longest_period) return period;
  throw Error(ErrorCode::out_of_range,
              fmt::format("{}: period = '{}'; legal: above 0, at most {} seconds", setting.source, setting.value,
                          longest_period),
              "Give the seconds between two actions, such as 0.02");
}

void check_count(std::size_t given, const Space& space, std::string_view key, std::string_view what,
                 const std::string& owner) {
  if (given == space.dimensions()) return;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("'{}': {} {} for {} {}", owner, given, key, space.dimensions(), what),
              "Give one for each, in their order");
}

void put_names(const std::vector<std::string>& names, Space& space, std::string_view key, std::string_view what,
               const std::string& owner) {
  if (names.empty()) return;
  check_count(names.size(), space, key, what, owner);
  for (std::size_t d = 0; d < names.size(); ++d) space.axes[d].name = names[d];
}

void put_units(const std::vector<std::string>& units, Space& space, std::string_view key, std::string_view what,
               const std::string& owner) {
  if (units.empty()) return;
  check_count(units.size(), space, key, what, owner);
  for (std::size_t d = 0; d < units.size(); ++d) {
    Axis& axis = space.axes[d];
    if (units[d].empty()) continue;
    // A label does not convert anything: the numbers stay those of the task.
    if (!axis.unit.empty() && axis.unit != units[d]) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("'{}': {} gives '{}' the unit '{}', and it is in '{}'", owner, key, axis.name, units[d],
                              axis.unit),
                  "Leave this entry empty; a unit is a label and converts nothing");
    }
    axis.unit = units[d];
  }
}

void check_earlier_values(const Space& observation, const Space& action, const std::string& owner) {
  const auto has = [](const Space& space, const std::string& name) {
    return std::ranges::find(space.axes, name, &Axis::name) != space.axes.end();
  };
  for (const Axis& axis : observation.axes) {
    const std::optional<EarlierValue> earlier = earlier_value(axis.name);
    if (!earlier || has(observation, earlier->name) || has(action, earlier->name)) continue;
    throw Error(
        ErrorCode::bad_value,
        fmt::format("'{}': '{}' is an earlier value of '{}', and neither an observation nor an action is called "
                    "that",
                    owner, axis.name, earlier->name),
        "Name the present value too, or the action with --action-names");
  }
}

}  // namespace

bool Naming::empty() const {
  return names.empty() && units.empty() && action_names.empty() && action_units.empty() && !period;
}

std::span<const std::string_view> naming_keys() { return keys; }

std::optional<EarlierValue> earlier_value(const std::string& name) {
  const std::size_t bracket = name.find("[t-");
  if (bracket == std::string::npos || !name.ends_with(']')) return std::nullopt;
  std::size_t steps = 0;
  const char *const begin = name.data() + bracket + 3, *const end = name.data() + name.size() - 1;
  const auto [stop, trouble] = std::from_chars(begin, end, steps);
  if (trouble != std::errc{} || stop != end || steps < 1 || steps > most_steps_ago) return std::nullopt;
  return EarlierValue{name.substr(0, bracket), steps};
}

bool set_naming_option(Naming& naming, const PolicySetting& setting) {
  if (setting.key == "names") {
    naming.names = names_in(setting);
  } else if (setting.key == "action-names") {
    naming.action_names = names_in(setting);
  } else if (setting.key == "units" || setting.key == "action-units") {
    std::vector<std::string>& units = setting.key == "units" ? naming.units : naming.action_units;
    units = split_list(setting.value);
    for (const std::string& unit : units) check_unit(unit, setting);
  } else if (setting.key == "period") {
    naming.period = period_in(setting);
  } else {
    return false;
  }
  return true;
}

void apply_naming(const Naming& naming, Contract& contract, const std::string& owner) {
  if (naming.empty()) return;
  put_names(naming.names, contract.observation, "names", "observations", owner);
  put_names(naming.action_names, contract.action, "action-names", "actions", owner);
  put_units(naming.units, contract.observation, "units", "observations", owner);
  put_units(naming.action_units, contract.action, "action-units", "actions", owner);
  if (naming.period) {
    if (contract.dt > 0 && std::abs(contract.dt - *naming.period) > 1e-9 * contract.dt) {
      throw Error(
          ErrorCode::bad_value,
          fmt::format("'{}': period is {} s, and there is one action every {} s", owner, *naming.period, contract.dt),
          "Leave it out, or choose the task of that period");
    }
    contract.dt = *naming.period;
  }
  check_earlier_values(contract.observation, contract.action, owner);
}

Task named_task(const Naming& naming, Task task, const std::string& owner) {
  Contract contract{task.name, task.observation, task.action, task.dt};
  apply_naming(naming, contract, owner);
  task.observation = std::move(contract.observation);
  task.action = std::move(contract.action);
  task.dt = contract.dt;
  return task;
}

}  // namespace mercer

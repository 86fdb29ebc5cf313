#include "mercer/perturb.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "env/spec.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// body(part) for each part of a text that is not empty, without the blanks around it.
template <class Body>
void for_each_part(std::string_view text, char separator, Body body) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    std::string_view part = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) body(part);
  }
}

std::string_view key_of(std::string_view part) {
  const std::size_t equals = part.find('=');
  return equals == std::string_view::npos ? std::string_view{} : part.substr(0, equals);
}

const Parameter* find(const std::vector<Parameter>& parameters, std::string_view name) {
  const auto found = std::ranges::find(parameters, name, &Parameter::name);
  return found == parameters.end() ? nullptr : &*found;
}

bool has_setting(std::string_view settings, std::string_view name) {
  bool found = false;
  for_each_part(settings, ',', [&](std::string_view part) { found = found || key_of(part) == name; });
  return found;
}

std::string with_settings(std::string_view spec, std::span<const Perturbation> box, const auto& value_text) {
  TaskSpec task = split_spec(spec);
  for (std::size_t p = 0; p < box.size(); ++p) {
    task.settings += fmt::format("{}{}={}", task.settings.empty() ? "" : ",", box[p].parameter.name, value_text(p));
  }
  return task.text();
}

// The values of one parameter in a grid.
std::vector<double> spaced(const Perturbation& one, std::size_t each) {
  if (each == 1) each = 2;  // one value is the middle of two
  const auto [low, high] = one.range;
  std::vector<double> out;
  for (std::size_t i = 0; i < each; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(each - 1);
    const double value = i + 1 == each ? high : low + share * (high - low);
    out.push_back(one.parameter.integer ? std::round(value) : value);
  }
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace

const std::vector<Parameter>& disturbances() {
  static const std::vector<Parameter> all{
      {"noise", "noise of observations: standard deviation as a share of half their range", 0, {0, 1}},
      {"action_noise", "the same of actions; discrete: probability of an action drawn at random", 0, {0, 1}},
      {"delay", "steps by which actions come late", 0, {0, 100}, true},
      {"lag", "share of the last played action that is still in the next", 0, {0, 0.99}},
      {"levels", "values that each sensor can show, 2 or more; 0: all", 0, {0, 65536}, true}};
  return all;
}

bool Disturbance::any() const {
  return noise.high > 0 || action_noise.high > 0 || delay.high > 0 || lag.high > 0 || levels.high > 0;
}

Disturbance read_disturbance(Params& params) { return read_disturbance(params, disturbances()); }

Disturbance read_disturbance(Params& params, const std::vector<Parameter>& known) {
  const auto read = [&](std::size_t number) {
    const Parameter& one = disturbances()[number];
    if (find(known, one.name) == nullptr) return Range{};
    const Range range = params.range(one.name, one.nominal, one.legal.low, one.legal.high);
    check_integers(one, range);
    return range;
  };
  return {read(0), read(1), read(2), read(3), read(4)};
}

std::vector<Parameter> perturbable(const EnvEntry& entry, std::string_view settings) {
  std::vector<Parameter> all = entry.parameters;
  if (entry.parts) std::ranges::move(entry.parts(settings), std::back_inserter(all));
  for (const Parameter& one : disturbances()) {
    if (find(all, one.name) == nullptr && !has_setting(entry.settings, one.name)) all.push_back(one);
  }
  return all;
}

std::string nominal_spec(std::string_view spec) {
  const TaskSpec task = split_spec(spec);
  const std::vector<Parameter> known = perturbable(find_env(task.name), task.settings);
  TaskSpec nominal{task.name, ""};
  for_each_part(task.settings, ',', [&](std::string_view part) {
    if (find(known, key_of(part)) != nullptr) return;
    if (!nominal.settings.empty()) nominal.settings += ',';
    nominal.settings += part;
  });
  return nominal.text();
}

void check_integers(const Parameter& parameter, Range range) {
  if (!parameter.integer || (range.low == std::floor(range.low) && range.high == std::floor(range.high))) return;
  throw Error(ErrorCode::bad_value,
              fmt::format("{} is {}, which is not an integer", parameter.name,
                          range.low == std::floor(range.low) ? range.high : range.low),
              fmt::format("Give integers from {} to {}", parameter.legal.low, parameter.legal.high));
}

std::vector<Perturbation> read_perturbations(std::string_view spec, std::string_view text) {
  const TaskSpec task = split_spec(spec);
  const std::vector<Parameter> known = perturbable(find_env(task.name), task.settings);
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const Parameter& one : known) names.push_back(one.name);
  std::vector<Perturbation> box;
  for_each_part(text, ';', [&](std::string_view part) {
    const std::string key(key_of(part));
    if (key.empty()) {
      throw Error(ErrorCode::bad_value, fmt::format("perturbation '{}' has no value", part),
                  "Write NAME=A..B or NAME=A, separated by ';', such as \"m=0.8..1.2; delay=0..1\"");
    }
    const Parameter* const parameter = find(known, key);
    if (parameter == nullptr) throw_unknown(fmt::format("parameter of task '{}'", task.name), key, names);
    const bool again = std::ranges::any_of(box, [&](const Perturbation& one) { return one.parameter.name == key; });
    if (again || has_setting(task.settings, key)) {
      throw Error(ErrorCode::bad_value,
                  fmt::format("{} is perturbed and given {}", key, again ? "twice" : "in task '" + task.text() + "'"),
                  again ? "Give each parameter once" : fmt::format("Name the task without it: --env {}", task.name));
    }
    Params params("the perturbation", part, 0);
    const Range range = params.range(key, parameter->nominal, parameter->legal.low, parameter->legal.high);
    check_integers(*parameter, range);
    box.push_back({*parameter, range});
  });
  if (box.empty()) {
    throw Error(ErrorCode::missing_option, fmt::format("no perturbation in '{}'", text),
                "Write NAME=A..B, separated by ';', such as \"m=0.8..1.2; delay=0..1\"");
  }
  return box;
}

std::string perturbed_spec(std::string_view spec, std::span<const Perturbation> box) {
  return with_settings(spec, box, [&](std::size_t p) {
    const auto [low, high] = box[p].range;
    return low == high ? fmt::format("{}", low) : fmt::format("{}..{}", low, high);
  });
}

std::string perturbed_spec(std::string_view spec, std::span<const Perturbation> box, std::span<const double> values) {
  return with_settings(spec, box, [&](std::size_t p) { return fmt::format("{}", values[p]); });
}

std::vector<std::vector<double>> grid_of(std::span<const Perturbation> box, std::size_t each) {
  constexpr std::size_t most = 1000;
  require_in_range("values of each parameter in the grid", static_cast<double>(each), 1, most, "Take 3");
  std::vector<std::vector<double>> points{{}};
  for (const Perturbation& one : box) {
    std::vector<std::vector<double>> longer;
    std::vector<double> values = spaced(one, each);
    if (each == 1) {
      const double middle = (values.front() + values.back()) / 2;
      values = {one.parameter.integer ? std::floor(middle) : middle};
    }
    for (const std::vector<double>& point : points) {
      for (const double value : values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
    if (points.size() <= most) continue;
    throw Error(
        ErrorCode::too_large,
        fmt::format("a grid of {} values of each of {} parameters has more than {} points", each, box.size(), most),
        "Perturb fewer parameters, or take a smaller --grid");
  }
  std::vector<double> nominal;
  for (const Perturbation& one : box) {
    const double value = one.parameter.nominal;  // NaN where nobody said it
    if (!(value >= one.range.low && value <= one.range.high)) return points;
    nominal.push_back(one.parameter.nominal);
  }
  std::erase(points, nominal);
  points.insert(points.begin(), nominal);
  return points;
}

}  // namespace mercer

#include "mercer/env.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "env/box2d/tasks.hpp"
#include "env/classic/tasks.hpp"
#include "env/mujoco/tasks.hpp"
#include "env/spec.hpp"
#include "mercer/error.hpp"

namespace mercer {

Env::Env(Task task, std::size_t carried) : task_(std::move(task)), carried_(carried) {
  require_in_range("the time limit of task '" + task_.name + "'", task_.time_limit, 1, 1e9, "Give a number of steps");
  require_in_range("the discount of task '" + task_.name + "'", task_.gamma, 0, 1, "Give a discount from 0 to 1");
}

void Env::observe(MatrixView<const double> state, MatrixView<double> observation) const {
  // What is drawn for an episode stands behind the state that a policy sees.
  for (std::size_t d = 0; d < observation.rows(); ++d) {
    std::ranges::copy(state.row(carried_ + d), observation.row(d).begin());
  }
}

void Env::settle(MatrixView<double>) const {}

Figure Env::figure(std::span<const double>) const { return {}; }

Range Env::return_range(std::uint32_t horizon) const {
  const auto [low, high] = task_.reward;
  // An episode has at least one step, and may end after any.
  return {low < 0 ? low * horizon : low, high > 0 ? high * horizon : high};
}

Range return_range(const Env& env, std::uint32_t horizon, double gamma) {
  if (gamma == 1) return env.return_range(horizon);
  const double steps = (1 - std::pow(gamma, horizon)) / (1 - gamma);
  const Range reward = env.task().reward;
  return {std::min(reward.low, 0.0) * steps, std::max(reward.high, 0.0) * steps};
}

namespace {

double parse_number(const std::string& owner, const std::string& key, std::string_view text, double low, double high) {
  double value = 0;
  const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (trouble != std::errc{} || end != text.data() + text.size()) {
    throw Error(ErrorCode::bad_value, fmt::format("{}: {} is '{}', which is not a number", owner, key, text),
                fmt::format("Give a number from {} to {}", low, high));
  }
  require_in_range(fmt::format("{}: {}", owner, key), value, low, high, "Change it in the task's settings");
  return value;
}

template <class Visit>
void split(std::string_view text, char separator, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    visit(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

Params::Params(std::string owner, std::string_view text, std::uint64_t seed) : owner_(std::move(owner)), seed_(seed) {
  split(text, ',', [&](std::string_view part) {
    const std::size_t equals = part.find('=');
    const std::string key(equals == std::string_view::npos ? "file" : part.substr(0, equals));
    const std::string_view value = equals == std::string_view::npos ? part : part.substr(equals + 1);
    if (!given_.emplace(key, value).second) {
      throw Error(ErrorCode::bad_value, fmt::format("{}: {} is given twice", owner_, key), "Give each setting once");
    }
  });
}

const std::string* Params::find(const std::string& key) {
  read_.insert(key);
  const auto found = given_.find(key);
  return found == given_.end() ? nullptr : &found->second;
}

double Params::number(const std::string& key, double standard, double low, double high) {
  const std::string* text = find(key);
  return text ? parse_number(owner_, key, *text, low, high) : standard;
}

Range Params::range(const std::string& key, double standard, double low, double high) {
  const std::string* text = find(key);
  if (!text) return {standard, standard};
  const std::size_t dots = text->find("..");
  const auto part = [&](std::string_view number) { return parse_number(owner_, key, number, low, high); };
  if (dots == std::string::npos) return {part(*text), part(*text)};
  const Range range{part(std::string_view(*text).substr(0, dots)), part(std::string_view(*text).substr(dots + 2))};
  if (range.width() >= 0) return range;
  throw Error(ErrorCode::bad_value,
              fmt::format("{}: {} is '{}', from a larger number to a smaller one", owner_, key, *text),
              fmt::format("Write the smaller end first: {}={}..{}", key, range.high, range.low));
}

std::size_t Params::integer(const std::string& key, std::size_t standard, std::size_t low, std::size_t high) {
  const std::string* text = find(key);
  if (!text) return standard;
  const double value = parse_number(owner_, key, *text, static_cast<double>(low), static_cast<double>(high));
  if (value != std::floor(value)) {
    throw Error(ErrorCode::bad_value, fmt::format("{}: {} is {}, which is not an integer", owner_, key, value),
                fmt::format("Give an integer from {} to {}", low, high));
  }
  return static_cast<std::size_t>(value);
}

std::vector<double> Params::numbers(const std::string& key, std::vector<double> standard, double low, double high) {
  const std::string* text = find(key);
  if (!text) return standard;
  std::vector<double> values;
  split(*text, ';', [&](std::string_view part) { values.push_back(parse_number(owner_, key, part, low, high)); });
  return values;
}

std::string Params::text(const std::string& key, const std::string& standard) {
  const std::string* text = find(key);
  return text ? *text : standard;
}

void Params::check_all_read() const {
  const std::vector<std::string> known(read_.begin(), read_.end());
  for (const auto& [key, value] : given_) {
    if (read_.contains(key)) continue;
    const std::string& name = key == "file" ? value : key;  // a part without '=' was taken for a file
    if (known.empty()) {
      throw Error(ErrorCode::unknown_name, fmt::format("{} has no settings, and was given '{}'", owner_, name),
                  "Leave out the ':' and what follows");
    }
    if (key == "file") {
      throw Error(ErrorCode::bad_value, fmt::format("{}: '{}' has no value", owner_, name),
                  fmt::format("Write key=value; known keys: {}", fmt::join(known, ", ")));
    }
    throw_unknown(fmt::format("setting of {}", owner_), key, known);
  }
}

namespace {

std::vector<EnvEntry> built_in() {
  std::vector<EnvEntry> all;
  const auto add = [&](const std::string& group, std::vector<EnvEntry> entries) {
    for (EnvEntry& entry : entries) {
      entry.group = group;
      all.push_back(std::move(entry));
    }
  };
  add("classic control", {pendulum_entry(), pendulum_v0_entry(), continuous_mountain_car_entry(), mountain_car_entry(),
                          cart_pole_entry(), acrobot_entry()});
  add("quadrotor", {quadrotor_entry()});
  add("MuJoCo", mujoco_entries());
  add("Box2D", box2d_entries());
  add("one step", {turntable_entry(), noisy_bandit_entry()});
  add("finite processes", {chain_entry(), tabular_entry()});
  return all;
}

std::vector<EnvEntry>& entries() {
  static std::vector<EnvEntry> all = built_in();
  return all;
}

auto find(std::string_view name) {
  return std::ranges::find_if(entries(), [&](const EnvEntry& entry) { return entry.name == name; });
}

std::unique_ptr<Env> build(std::string_view spec, std::uint64_t seed, std::vector<double> scales) {
  const auto [name, settings] = split_spec(spec);
  const EnvEntry& entry = find_env(name);
  Params params("task '" + name + "'", settings, seed);
  std::unique_ptr<Env> env = entry.make(params);
  const Disturbance disturbance = read_disturbance(params, perturbable(entry, settings));
  params.check_all_read();
  return disturbance.any() ? disturb(std::move(env), disturbance, std::move(scales)) : std::move(env);
}

// Names that Gymnasium gives to tasks of the library.
const std::map<std::string_view, std::string_view>& gymnasium_names() {
  static const std::map<std::string_view, std::string_view> names{
      {"Pendulum-v1", "pendulum"},
      {"Pendulum-v0", "pendulum-v0"},
      {"MountainCarContinuous-v0", "continuous-mountain-car"},
      {"MountainCar-v0", "mountain-car"},
      {"CartPole-v1", "cart-pole"},
      {"Acrobot-v1", "acrobot"},
      {"Swimmer-v2", "swimmer"},
      {"Swimmer-v3", "swimmer"},
      {"Swimmer-v4", "swimmer"},
      {"Hopper-v2", "hopper"},
      {"Hopper-v3", "hopper"},
      {"Hopper-v4", "hopper"},
      {"Walker2d-v2", "walker2d"},
      {"Walker2d-v3", "walker2d"},
      {"Walker2d-v4", "walker2d"},
      {"HalfCheetah-v2", "half-cheetah"},
      {"HalfCheetah-v3", "half-cheetah"},
      {"HalfCheetah-v4", "half-cheetah"},
      {"Ant-v2", "ant:contact-forces=true"},
      {"Ant-v3", "ant:contact-forces=true"},
      {"Ant-v4", "ant"},
      {"InvertedDoublePendulum-v2", "inverted-double-pendulum"},
      {"InvertedDoublePendulum-v4", "inverted-double-pendulum"},
      {"Reacher-v2", "reacher"},
      {"Reacher-v4", "reacher"},
      {"LunarLander-v2", "lunar-lander"},
      {"LunarLander-v3", "lunar-lander"},
      {"LunarLanderContinuous-v2", "lunar-lander-continuous"},
      {"LunarLanderContinuous-v3", "lunar-lander-continuous"},
      {"BipedalWalker-v3", "bipedal-walker"}};
  return names;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "halfcheetah" of "HalfCheetah-v4"; empty for a name without a version.
std::string gymnasium_family(std::string_view name) {
  const std::size_t version = name.rfind("-v");
  if (version == std::string_view::npos || version + 2 == name.size()) return {};
  const bool digits = name.find_first_not_of("0123456789", version + 2) == std::string_view::npos;
  return digits ? lower(name.substr(0, version)) : "";
}

// Throws for a name that looks like one of Gymnasium's.
void refuse_gymnasium(const std::string& name) {
  const std::string family = gymnasium_family(name);
  if (family.empty()) return;
  const std::string python = fmt::format("mercer.compress(teacher, gymnasium.make('{}'), ...)", name);
  const auto& names = gymnasium_names();
  for (auto twin = names.rbegin(); twin != names.rend(); ++twin) {  // the newest version comes first
    if (gymnasium_family(twin->first) != family) continue;
    throw Error(ErrorCode::unknown_name,
                fmt::format("'{}' is a name of Gymnasium, and the built-in task is {}", name, twin->first),
                fmt::format("Write --env {} if your policy was trained on observations like those of {}; from Python, "
                            "{} plays any version",
                            twin->second, twin->first, python));
  }
  if (lower(name) == name) return;  // Gymnasium's begin with capitals
  throw Error(
      ErrorCode::unknown_name, fmt::format("'{}' is a name of Gymnasium, and no such task is built in", name),
      fmt::format("Use Python, which plays any environment: {}; 'mercer list' shows the built-in tasks", python));
}

}  // namespace

TaskSpec split_spec(std::string_view spec) {
  const std::size_t colon = spec.find(':');
  if (colon == std::string_view::npos && spec.ends_with(".json")) {
    // A '=' in the name is then no setting.
    return {"tabular", (spec.find('=') == std::string_view::npos ? "" : "file=") + std::string(spec)};
  }
  const std::string_view name = spec.substr(0, colon);
  std::string settings(colon == std::string_view::npos ? "" : spec.substr(colon + 1));
  const auto alias = gymnasium_names().find(name);
  if (alias == gymnasium_names().end()) return {std::string(name), settings};
  const std::size_t own = alias->second.find(':');
  if (own != std::string_view::npos) {
    settings = std::string(alias->second.substr(own + 1)) + (settings.empty() ? "" : ",") + settings;
  }
  return {std::string(alias->second.substr(0, own)), settings};
}

const EnvEntry& find_env(const std::string& name) {
  const auto entry = find(name);
  if (entry != entries().end()) return *entry;
  refuse_gymnasium(name);
  std::vector<std::string> names;
  for (const EnvEntry& known : entries()) names.push_back(known.name);
  throw_unknown("task", name, names);
}

std::unique_ptr<Env> make_env(std::string_view spec, std::uint64_t seed) { return build(spec, seed, {}); }

std::unique_ptr<Env> with_spread(std::string_view spec, std::uint64_t seed, std::vector<double> scales) {
  return build(spec, seed, std::move(scales));
}

std::vector<EnvEntry> known_envs() { return entries(); }

bool knows_env(std::string_view spec) { return find(split_spec(spec).name) != entries().end(); }

void register_env(EnvEntry entry) {
  const auto old = find(entry.name);
  if (old == entries().end()) {
    entries().push_back(std::move(entry));
  } else {
    *old = std::move(entry);
  }
}

}  // namespace mercer

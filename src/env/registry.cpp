#include "mercer/env/registry.hpp"

#include <algorithm>
#include <map>

#include "env/tasks/tasks.hpp"
#include "mercer/core/nearest.hpp"

namespace mercer {
namespace {

std::vector<EnvEntry>& entries() {
  static std::vector<EnvEntry> all{pendulum_entry(),     pendulum_v0_entry(), continuous_mountain_car_entry(),
                                   mountain_car_entry(), cart_pole_entry(),   turntable_entry(),
                                   noisy_bandit_entry(), chain_entry(),       tabular_entry()};
  return all;
}

auto find(std::string_view name) {
  return std::ranges::find_if(entries(), [&](const EnvEntry& entry) { return entry.name == name; });
}

}  // namespace

std::unique_ptr<Env> make_env(std::string_view spec, std::uint64_t seed) {
  static const std::map<std::string_view, std::string_view> gymnasium{
      {"Pendulum-v1", "pendulum"},
      {"Pendulum-v0", "pendulum-v0"},
      {"MountainCarContinuous-v0", "continuous-mountain-car"},
      {"MountainCar-v0", "mountain-car"},
      {"CartPole-v1", "cart-pole"}};
  if (const auto alias = gymnasium.find(spec); alias != gymnasium.end()) return make_env(alias->second, seed);
  const bool only_a_file = spec.ends_with(".json") && spec.find(':') == std::string_view::npos;
  const std::size_t colon = spec.find(':');
  const std::string name(only_a_file ? "tabular" : spec.substr(0, colon));
  std::string settings;
  if (only_a_file) {
    settings = "file=" + std::string(spec);  // a '=' in the name is then no setting
  } else if (colon != std::string_view::npos) {
    settings = spec.substr(colon + 1);
  }

  const auto entry = find(name);
  if (entry == entries().end()) {
    std::vector<std::string> names;
    for (const EnvEntry& known : entries()) names.push_back(known.name);
    throw_unknown("task", name, names);
  }
  Params params("task '" + name + "'", settings, seed);
  std::unique_ptr<Env> env = entry->make(params);
  params.check_all_read();
  return env;
}

std::vector<EnvEntry> known_envs() { return entries(); }

void register_env(EnvEntry entry) {
  const auto old = find(entry.name);
  if (old == entries().end()) {
    entries().push_back(std::move(entry));
  } else {
    *old = std::move(entry);
  }
}

}  // namespace mercer

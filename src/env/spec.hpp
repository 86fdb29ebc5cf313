#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/perturb.hpp"

namespace mercer {

/// Draws of `Stage::perturb`: parameters of an episode under this number, physical ones from draw 0 on and disturbances
/// from `disturbance_draw` on; noise under the number of its step.
inline constexpr std::uint32_t drawing_step = 0xFFFFFFFF;
inline constexpr std::uint32_t disturbance_draw = 1024;

/// A task's text in its parts: "Pendulum-v1:m=2" is "pendulum" and "m=2", "x.json" is "tabular" and "x.json".
struct TaskSpec {
  std::string name;
  std::string settings;
  std::string text() const { return settings.empty() ? name : name + ":" + settings; }
};
TaskSpec split_spec(std::string_view spec);

/// The task of that name. Throws `unknown_name` with the nearest known one.
const EnvEntry& find_env(const std::string& name);

/// Whether `make_env` knows the name of a task, with settings or without, or as Gymnasium spells it.
bool knows_env(std::string_view spec);

/// What can be perturbed about a task with these settings: its physics and the disturbances, without those whose names
/// are settings of its own.
std::vector<Parameter> perturbable(const EnvEntry& entry, std::string_view settings);

/// The disturbances among the known parameters, as settings give them.
Disturbance read_disturbance(Params& params, const std::vector<Parameter>& known);

/// The task without any perturbation: what `spec` is named after.
std::string nominal_spec(std::string_view spec);

/// Throws `bad_value` for a range of an integer parameter whose ends are no integers.
void check_integers(const Parameter& parameter, Range range);

}  // namespace mercer

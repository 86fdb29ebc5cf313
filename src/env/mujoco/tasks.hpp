#pragma once

#include <string>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

/// The tasks that MuJoCo simulates: built-in ones, and `mujoco` for robots of users. They are listed without MuJoCo,
/// too; making one then throws `missing_option` with the package to install.
std::vector<EnvEntry> mujoco_entries();

/// Factors on the physics of every model: mass, friction, gear, damping, gravity.
const std::vector<Parameter>& whole_parameters();

/// Makes the task of a built-in file, "hopper" of hopper.toml, or of the file in the settings where `name` is "mujoco".
std::unique_ptr<Env> make_mujoco(const std::string& name, Params& params);
/// The parameters of parts of that task's model.
std::vector<Parameter> mujoco_parts(const std::string& name, std::string_view settings);

}  // namespace mercer

#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <mujoco/mujoco.h>

#include "env/mujoco/apart.hpp"

namespace mercer {

/// A compiled model that episodes share. It is never changed.
using ModelPointer = std::shared_ptr<const mjModel>;

/// The model of a built-in task, such as "hopper". Compiled once.
ModelPointer built_in_model(const std::string& name);

/// Compiles an MJCF file of at most 16 MB. A process of its own compiles it and simulates a few steps, so that a crash,
/// an exit or a loop inside libmujoco becomes an error. Throws `cannot_open`, `bad_format` with what MuJoCo says and
/// the place, and what `check_text`, `check_model` and `run_apart` throw. Takes some 20 ms, at most `limits.seconds`.
ModelPointer load_model(const std::filesystem::path& path, const ApartLimits& limits = {});

}  // namespace mercer

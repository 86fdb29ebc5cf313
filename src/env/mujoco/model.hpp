#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <mujoco/mujoco.h>

namespace mercer {

/// A compiled model that episodes share. It is never changed.
using ModelPointer = std::shared_ptr<const mjModel>;

/// The model of a built-in task, such as "hopper". Compiled once.
ModelPointer built_in_model(const std::string& name);

/// Compiles an MJCF file. A process of its own compiles it first, with limits on time and memory, so that a crash or an
/// exit inside libmujoco becomes an error. Throws `cannot_open`, `bad_format` with what MuJoCo says and the place, and
/// `too_large`.
ModelPointer load_model(const std::filesystem::path& path);

}  // namespace mercer

#pragma once

#include <mutex>
#include <string>
#include <string_view>

#include "env/mujoco/model.hpp"

namespace mercer {

/// Makes libmujoco throw `bad_value` with its words where it would exit, and drop the warnings that it would write to
/// MUJOCO_LOG.TXT. Once per process; cheap afterwards.
void install_handlers();

/// libmujoco keeps the last file that it read in a global: hold this lock while compiling.
using CompilerLock = std::unique_lock<std::mutex>;
CompilerLock lock_compiler();

/// Compiles an MJCF file of the disk. Throws `bad_format` with MuJoCo's words, in one line.
ModelPointer compile_file(const std::string& path, const CompilerLock&);

/// Compiles MJCF text; errors call it `name`.
ModelPointer compile_text(const std::string& name, std::string_view text, const CompilerLock&);

/// A model as bytes, and back.
std::string model_bytes(const mjModel& model);
ModelPointer model_of_bytes(std::string_view bytes);

}  // namespace mercer

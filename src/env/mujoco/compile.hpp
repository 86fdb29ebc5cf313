#pragma once

#include <string>

#include "env/mujoco/model.hpp"

namespace mercer {

/// Makes libmujoco throw `bad_value` with its words where it would exit, and drop the warnings that it would write to
/// MUJOCO_LOG.TXT. Once per process; cheap afterwards.
void install_handlers();

/// Compiles `file` of `files`, or of the disk where `files` is null. Throws `bad_format` with MuJoCo's words. libmujoco
/// keeps the last file that it read in a global: one thread compiles at a time.
ModelPointer compile(const std::string& file, const mjVFS* files);

/// The same for one text in memory that is called `name`.
ModelPointer compile_text(const std::string& name, std::string_view text);

}  // namespace mercer

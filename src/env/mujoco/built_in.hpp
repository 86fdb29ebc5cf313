#pragma once

#include <span>
#include <string_view>

namespace mercer {

/// A file of src/env/mujoco/models. Its text is part of the library.
struct BuiltInFile {
  std::string_view name;  ///< without the folder: "hopper.xml"
  std::string_view text;
};
std::span<const BuiltInFile> built_in_files();

/// The text of the built-in file `name`. Throws `unknown_name`.
std::string_view built_in_text(std::string_view name);

}  // namespace mercer

#include "cli/plugin.hpp"

#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>

#include "mercer/error.hpp"

void load_plugins(const std::string& files) {
  std::istringstream list(files);
  for (std::string file; std::getline(list, file, ':');) {
    // A name without a slash would be looked up on the library path; the user means a file.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    if (::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) continue;
    throw mercer::Error(mercer::ErrorCode::bad_plugin, fmt::format("cannot load plug-in '{}': {}", file, ::dlerror()),
                        "Build it as a shared library against this version of Mercer; docs/guide/tasks.md shows how");
  }
}

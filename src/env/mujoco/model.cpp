#include "env/mujoco/model.hpp"

#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <fmt/format.h>

#include "env/mujoco/apart.hpp"
#include "env/mujoco/built_in.hpp"
#include "env/mujoco/check.hpp"
#include "env/mujoco/compile.hpp"
#include "io/file.hpp"
#include "io/landlock.hpp"
#include "io/limits.hpp"
#include "io/open_folders.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// For a copy of the process: libmujoco opens what a model names by itself, and must read no more than others may.
void confine(const std::string& file, std::string_view text) {
  const OpenFolders* folders = ReadingOnly::folders();
  if (folders == nullptr) return;
  const std::vector<int> readable = folders->descriptors();
  if (landlock({.folders = readable}) || text.find("file") == std::string_view::npos) return;
  throw Error(ErrorCode::cannot_open,
              fmt::format("'{}' names other files, and this kernel cannot keep MuJoCo from reading elsewhere", file),
              "Name the embedding itself, or use Linux 5.13 or later with Landlock");
}

}  // namespace

ModelPointer built_in_model(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, ModelPointer> compiled;
  const std::scoped_lock lock(mutex);
  ModelPointer& model = compiled[name];
  if (!model) {
    const std::string file = name + ".xml";
    model = compile_text(file, built_in_text(file), lock_compiler());
  }
  return model;
}

ModelPointer load_model(const std::filesystem::path& path, const ApartLimits& limits) {
  const std::string file = path.string();
  const std::string text = read_text(path, limits::model_bytes);
  check_text(file, text);
  install_handlers();
  const CompilerLock lock = lock_compiler();
  return model_of_bytes(run_apart(fmt::format("'{}'", file), limits, [&] {
    confine(file, text);
    // A NaN is no error for libmujoco, which takes many of them for "not given".
    static bool nan_seen = false;
    mju_user_warning = [](const char* words) { nan_seen |= std::strstr(words, "NaN") != nullptr; };
    const ModelPointer model = compile_file(file, lock);
    if (nan_seen) {
      throw Error(ErrorCode::not_finite, fmt::format("'{}' contains NaN", file), "Give a number in its place");
    }
    check_model(file, *model);
    return model_bytes(*model);
  }));
}

}  // namespace mercer

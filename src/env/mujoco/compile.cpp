#include "env/mujoco/compile.hpp"

#include <array>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    // The frames of libmujoco in between have nothing to clean up but the stack of an mjData, which ends with it.
    mju_user_error = [](const char* words) {
      throw Error(ErrorCode::bad_value, fmt::format("MuJoCo: {}", words), "Simplify the model, or take smaller steps");
    };
    mju_user_warning = [](const char*) {};  // mjData counts them
  });
}

ModelPointer compile(const std::string& file, const mjVFS* files) {
  install_handlers();
  static std::mutex one_at_a_time;
  const std::scoped_lock lock(one_at_a_time);
  std::array<char, 1000> words{};
  mjModel* const model = mj_loadXML(file.c_str(), files, words.data(), words.size());
  mj_freeLastXML();
  if (!model) throw Error(ErrorCode::bad_format, words.data(), "Correct the model");
  return {model, [](const mjModel* done) { mj_deleteModel(const_cast<mjModel*>(done)); }};
}

ModelPointer compile_text(const std::string& name, std::string_view text) {
  // Two megabytes: too much for the stack.
  const std::unique_ptr<mjVFS, void (*)(mjVFS*)> files(new mjVFS, [](mjVFS* done) {
    mj_deleteVFS(done);
    delete done;
  });
  mj_defaultVFS(files.get());
  mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(text.size()));
  std::memcpy(files->filedata[0], text.data(), text.size());
  return compile(name, files.get());
}

}  // namespace mercer

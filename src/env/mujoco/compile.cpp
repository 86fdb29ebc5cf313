#include "env/mujoco/compile.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

ModelPointer owned(mjModel* model) {
  return {model, [](const mjModel* done) { mj_deleteModel(const_cast<mjModel*>(done)); }};
}

/// One file in memory. On the heap, because an mjVFS has two megabytes.
struct MemoryFile {
  MemoryFile(const std::string& name, std::string_view bytes) {
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(bytes.size()));
    std::memcpy(files->filedata[0], bytes.data(), bytes.size());
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { mj_deleteVFS(files.get()); }

  std::unique_ptr<mjVFS> files = std::make_unique_for_overwrite<mjVFS>();
};

std::string one_line(std::string_view words) {
  std::string line;
  if (constexpr std::string_view unknown = ", column = -1"; words.ends_with(unknown))
    words.remove_suffix(unknown.size());
  for (const char c : words.substr(0, words.find_last_not_of(" .\n") + 1)) {
    if (c != '\n') {
      line += c;
    } else if (!line.ends_with(' ')) {
      line += line.ends_with(':') ? " " : ", ";
    }
  }
  return line;
}

ModelPointer compile(const std::string& file, const mjVFS* files) {
  install_handlers();
  std::array<char, 1000> answer{};
  std::string words;
  try {
    mjModel* const model = mj_loadXML(file.c_str(), files, answer.data(), answer.size());
    mj_freeLastXML();
    if (model) return owned(model);
    words = one_line(answer.data());
  } catch (const Error& error) {
    words = error.problem();
  }
  const std::string problem = fmt::format("'{}': {}", file, words);
  for (const char* const memory : {"could not create mjData", "Could not allocate memory"}) {
    if (words.find(memory) == std::string::npos) continue;
    throw Error(ErrorCode::too_large, problem, "Lower the sizes in it, or use fewer joints");
  }
  throw Error(ErrorCode::bad_format, problem, fmt::format("Correct the file for MuJoCo {}", mj_versionString()));
}

}  // namespace

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

CompilerLock lock_compiler() {
  static std::mutex mutex;
  return CompilerLock(mutex);
}

ModelPointer compile_file(const std::string& path, const CompilerLock&) { return compile(path, nullptr); }

ModelPointer compile_text(const std::string& name, std::string_view text, const CompilerLock&) {
  return compile(name, MemoryFile(name, text).files.get());
}

std::string model_bytes(const mjModel& model) {
  std::string bytes(static_cast<std::size_t>(mj_sizeModel(&model)), '\0');
  mj_saveModel(&model, nullptr, bytes.data(), static_cast<int>(bytes.size()));
  return bytes;
}

ModelPointer model_of_bytes(std::string_view bytes) {
  install_handlers();
  return owned(mj_loadModel("model.mjb", MemoryFile("model.mjb", bytes).files.get()));
}

}  // namespace mercer

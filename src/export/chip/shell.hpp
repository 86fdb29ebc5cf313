#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace mercer {

/// A folder of its own that goes away.
class ScratchFolder {
 public:
  /// Throws `cannot_write`.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Whether the first word of a command is a program on the path.
bool on_path(const std::string& command);

/// What a command prints, standard error included, and its exit code. It runs in `folder`, ends after two minutes, and
/// reads nothing. `each_line` sees every line as it comes, in place of `output`.
struct Ran {
  int exit = 0;
  std::string output;
};
Ran run_command(const std::filesystem::path& folder, const std::string& command,
                const std::function<void(const std::string&)>& each_line = {});

}  // namespace mercer

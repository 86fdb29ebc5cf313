#include "export/chip/shell.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "mercer-chip-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorCode::cannot_write, fmt::format("no folder '{}' could be made", name),
                "Set TMPDIR to a folder that you may write to");
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

bool on_path(const std::string& command) {
  const std::string program = command.substr(0, command.find(' '));
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

Ran run_command(const fs::path& folder, const std::string& command,
                const std::function<void(const std::string&)>& each_line) {
  const std::string whole =
      fmt::format("cd {} && LC_ALL=C timeout 120 {} 2>&1 </dev/null", quoted(folder.string()), command);
  std::FILE* const pipe = popen(whole.c_str(), "r");
  if (pipe == nullptr) {
    throw Error(ErrorCode::cannot_open, fmt::format("'{}' could not be started", command),
                "Free some memory and retry");
  }
  Ran ran;
  char* line = nullptr;
  std::size_t room = 0;
  for (ssize_t length = 0; (length = getline(&line, &room, pipe)) > 0;) {
    const std::string text(line, static_cast<std::size_t>(length));
    if (each_line) {
      each_line(text);
    } else if (ran.output.size() < 1'000'000) {
      ran.output += text;
    }
  }
  std::free(line);
  const int status = pclose(pipe);
  ran.exit = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
  return ran;
}

}  // namespace mercer

#include "learn/run_folder.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "io/json.hpp"
#include "learn/manifest.hpp"
#include "mercer/core/error.hpp"
#include "mercer/io/file.hpp"

namespace mercer::learn {

namespace fs = std::filesystem;

RunFolder::RunFolder(fs::path path, const nlohmann::ordered_json& configuration, bool force) : path_(std::move(path)) {
  std::error_code trouble;
  fs::create_directories(path_, trouble);
  if (!fs::is_directory(path_)) {
    throw Error(ErrorCode::cannot_write,
                fmt::format("cannot make the folder '{}': {}", path_.string(), trouble.message()),
                "Name a folder where you may write");
  }
  lock();
  try {
    remove_left_overs();
    const fs::path file = path_ / "run.json";
    if (fs::exists(file)) {
      const nlohmann::ordered_json known = read_json(file);
      const std::string hash = known.value("hash", "");
      if (hash == hash_of(configuration)) return;
      if (!force) {
        const auto old = known.value("configuration", nlohmann::ordered_json::object());
        throw Error(ErrorCode::bad_value,
                    fmt::format("'{}' holds a run with other settings (there and here: {})", path_.string(),
                                differences(old, configuration)),
                    "Use the same settings to continue it, another --out, or --force to throw it away");
      }
      remove_run();
    }
    const nlohmann::ordered_json document{{"hash", hash_of(configuration)}, {"configuration", configuration}};
    write_atomically(file, [&](std::ostream& out) { out << document.dump(2) << '\n'; });
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

RunFolder::~RunFolder() { ::close(lock_); }

fs::path RunFolder::snapshot(std::uint64_t step) const {
  return path_ / fmt::format("snapshot_{:06}.safetensors", step);
}

// The lock goes with the process, however it ends; the file stays, since removing it would race with the next process.
void RunFolder::lock() {
  const fs::path file = path_ / ".lock";
  lock_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)),
                "Name a folder where you may write");
  }
  if (::flock(lock_, LOCK_EX | LOCK_NB) == 0) return;
  const bool taken = errno == EWOULDBLOCK;
  ::close(lock_);
  throw Error(ErrorCode::cannot_write,
              taken ? fmt::format("another process is training in '{}'", path_.string())
                    : fmt::format("cannot lock '{}': {}", file.string(), std::strerror(errno)),
              "Wait for it or name another folder");
}

void RunFolder::remove_run() const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name == "checkpoint.safetensors" || name == "run.json" ||
                      (name.starts_with("snapshot_") && name.ends_with(".safetensors"));
    if (ours) fs::remove(entry.path());
  }
}

// Temporary files of a process that was killed while it wrote.
void RunFolder::remove_left_overs() const {
  for (const auto& entry : fs::directory_iterator(path_)) {
    const std::string name = entry.path().filename().string();
    const bool ours = name.starts_with(".checkpoint.") || name.starts_with(".snapshot_") || name.starts_with(".run.");
    if (ours && name.ends_with(".part")) fs::remove(entry.path());
  }
}

}  // namespace mercer::learn

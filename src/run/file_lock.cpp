#include "run/file_lock.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "mercer/error.hpp"

namespace mercer {

FileLock::FileLock(const std::filesystem::path& file, Busy busy, const Progress& progress) {
  file_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) {
    throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)),
                "Name a folder where you may write");
  }
  // Asking again and again, rather than sleeping in flock, lets a stop be noticed.
  while (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
    const bool taken = errno == EWOULDBLOCK;
    try {
      if (!taken || busy == Busy::refuse) {
        throw Error(ErrorCode::cannot_write,
                    taken ? fmt::format("another process is working on '{}' in '{}'", file.stem().string(),
                                        std::filesystem::absolute(file).parent_path().string())
                          : fmt::format("cannot lock '{}': {}", file.string(), std::strerror(errno)),
                    "Wait for it or name another folder");
      }
      progress.check();
    } catch (...) {
      ::close(file_);
      throw;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FileLock::~FileLock() { ::close(file_); }

}  // namespace mercer

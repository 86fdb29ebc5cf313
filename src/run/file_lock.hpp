#pragma once

#include <filesystem>

#include "run/store.hpp"

namespace mercer {

/// Holds a lock file as long as it lives: other processes and other stores of this one wait. The lock goes with the
/// process, however that ends; the file stays, since removing it would race with whoever opens it next.
class FileLock {
 public:
  /// Throws `cannot_write` for a file that cannot be opened, or that is held when `busy` is `refuse`; `interrupted`
  /// when a stop is requested while waiting.
  FileLock(const std::filesystem::path& file, Busy busy, const Progress& progress);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  int file_ = -1;
};

}  // namespace mercer

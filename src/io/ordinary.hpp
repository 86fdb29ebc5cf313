#pragma once

#include <cstddef>
#include <filesystem>

namespace mercer {

/// An ordinary file, opened to be read; every reader begins with one. Within `ReadingOnly` only its folders are read.
class OrdinaryFile {
 public:
  /// Throws `cannot_open`, also for folders, pipes, sockets and devices.
  explicit OrdinaryFile(const std::filesystem::path& path);
  ~OrdinaryFile();
  OrdinaryFile(const OrdinaryFile&) = delete;
  OrdinaryFile& operator=(const OrdinaryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::size_t size() const { return size_; }  ///< when it was opened

 private:
  int descriptor_;
  std::size_t size_ = 0;
};

/// Whether an ordinary file is there. Within `ReadingOnly` there is none elsewhere, whatever stands there.
bool is_ordinary_file(const std::filesystem::path& path);

}  // namespace mercer

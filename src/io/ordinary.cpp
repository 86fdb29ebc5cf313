#include "io/ordinary.hpp"

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/open_folders.hpp"
#include "mercer/error.hpp"

namespace mercer {

OrdinaryFile::OrdinaryFile(const std::filesystem::path& path) : descriptor_(open_to_read(path)) {
  struct stat facts {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &facts) != 0) {
    const int trouble = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    const bool outside = trouble == EXDEV && ReadingOnly::folders() != nullptr;
    throw Error(ErrorCode::cannot_open,
                outside ? fmt::format("'{}' lies outside of the given folders", path.string())
                        : fmt::format("cannot open '{}': {}", path.string(), std::strerror(trouble)),
                outside ? "Name the file itself, or give its folder, too" : "Check the name and that you may read it");
  }
  size_ = static_cast<std::size_t>(facts.st_size);
  if (S_ISREG(facts.st_mode)) return;
  ::close(descriptor_);
  throw Error(ErrorCode::cannot_open,
              fmt::format("'{}' is {}", path.string(),
                          S_ISDIR(facts.st_mode) ? "a folder" : "no ordinary file, but a pipe, a socket or a device"),
              "Name a file");
}

OrdinaryFile::~OrdinaryFile() { ::close(descriptor_); }

bool is_ordinary_file(const std::filesystem::path& path) {
  if (ReadingOnly::folders() == nullptr) {
    std::error_code none;
    return std::filesystem::is_regular_file(path, none);
  }
  const int number = open_to_read(path);
  if (number < 0) return false;
  struct stat facts {};
  const bool ordinary = ::fstat(number, &facts) == 0 && S_ISREG(facts.st_mode);
  ::close(number);
  return ordinary;
}

}  // namespace mercer

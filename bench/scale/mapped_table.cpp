#include "mapped_table.hpp"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mercer/core/error.hpp"

namespace {

[[noreturn]] void fail(const std::filesystem::path& file, std::size_t bytes, int error) {
  throw mercer::Error(mercer::ErrorCode::cannot_write,
                      fmt::format("{} of {} bytes cannot be had: {}", file.string(), bytes, std::strerror(error)),
                      "Name a folder on a disk with more space, or take fewer cells");
}

}  // namespace

MappedTable::MappedTable(std::filesystem::path file, std::size_t rows, std::size_t columns)
    : file_(std::move(file)), bytes_(rows * columns * sizeof(float)) {
  const int handle = ::open(file_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (handle < 0) fail(file_, bytes_, errno);
  int error = ::posix_fallocate(handle, 0, static_cast<off_t>(bytes_));
  void* place = MAP_FAILED;
  if (error == 0) {
    place = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
    error = errno;
  }
  ::close(handle);
  if (place == MAP_FAILED) {
    std::filesystem::remove(file_);
    fail(file_, bytes_, error);
  }
  values = static_cast<float*>(place);
}

MappedTable::~MappedTable() {
  ::munmap(values, bytes_);
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

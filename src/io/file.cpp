#include "mercer/io/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

template <class Bytes>
Bytes read_whole(const fs::path& path, std::size_t most_bytes) {
  std::error_code trouble;
  if (fs::is_directory(path, trouble)) {
    throw Error(ErrorCode::cannot_open, fmt::format("'{}' is a folder", path.string()), "Name a file");
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Error(ErrorCode::cannot_open, fmt::format("cannot open '{}': {}", path.string(), std::strerror(errno)),
                "Check the name and that you may read it");
  }
  const std::uintmax_t size = fs::file_size(path, trouble);
  if (trouble || size > most_bytes) {
    throw Error(ErrorCode::too_large,
                trouble ? fmt::format("'{}' has no size: {}", path.string(), trouble.message())
                        : fmt::format("'{}' has {} bytes; legal: at most {}", path.string(), size, most_bytes),
                "Give an ordinary file of a smaller size");
  }
  Bytes bytes(static_cast<std::size_t>(size), typename Bytes::value_type{});
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(in.gcount()) != size) {
    throw Error(ErrorCode::cannot_open, fmt::format("'{}' could not be read to its end", path.string()),
                "Check the disk and try again");
  }
  return bytes;
}

// Renaming is only safe after a crash when the bytes, and then the folder's entry, have reached the disk.
bool flush_to_disk(const fs::path& path, int flags) {
  const int file = ::open(path.c_str(), flags);
  if (file < 0) return false;
  const bool flushed = ::fsync(file) == 0;
  ::close(file);
  return flushed;
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path, std::size_t most_bytes) {
  return read_whole<std::vector<std::byte>>(path, most_bytes);
}

std::string read_text(const fs::path& path, std::size_t most_bytes) {
  return read_whole<std::string>(path, most_bytes);
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path beside = folder / fmt::format(".{}.{}.part", path.filename().string(), ::getpid());
  const auto fail = [&](std::string_view why) {
    std::error_code ignored;
    fs::remove(beside, ignored);
    throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", path.string(), why),
                "Check that the folder exists, that you may write there and that the disk has room");
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) fail("it is a folder");
  try {
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    if (!out) fail(std::strerror(errno));
    write(out);
    out.close();
    if (!out) fail(std::strerror(errno));
  } catch (...) {
    fs::remove(beside, ignored);
    throw;
  }
  if (!flush_to_disk(beside, O_RDONLY)) fail(std::strerror(errno));
  std::error_code trouble;
  fs::rename(beside, path, trouble);
  if (trouble) fail(trouble.message());
  flush_to_disk(folder, O_RDONLY | O_DIRECTORY);
}

}  // namespace mercer

#include "io/file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "mercer/error.hpp"

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

[[noreturn]] void cannot_write(const fs::path& path, std::string_view why) {
  throw Error(ErrorCode::cannot_write, fmt::format("cannot write '{}': {}", path.string(), why),
              "Name a file in a folder that exists, where you may write and the disk has room");
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : fs::path("."); }

// Where a chain of symbolic links ends, even if nothing is there yet.
fs::path follow_links(fs::path path) {
  std::error_code ignored;
  for (int hops = 0; hops < 40 && fs::is_symlink(path, ignored); ++hops) {
    path = folder_of(path) / fs::read_symlink(path, ignored);  // an absolute link replaces the folder
  }
  return path;
}

// Opens what is there or makes it, and fills it. Errors name `wanted`, the file that the user asked for.
void write_through(const fs::path& path, const fs::path& wanted, const std::function<void(std::ostream&)>& write) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) cannot_write(wanted, std::strerror(errno));
  write(out);
  out.close();
  if (!out) cannot_write(wanted, std::strerror(errno));
}

std::mutex unfinished_mutex;
std::set<fs::path> unfinished_files;

// A temporary file that is gone when its writer is done with it, renamed or not.
struct Unfinished {
  explicit Unfinished(fs::path file) : path(std::move(file)) {
    const std::scoped_lock lock(unfinished_mutex);
    unfinished_files.insert(path);
  }
  ~Unfinished() {
    const std::scoped_lock lock(unfinished_mutex);
    std::error_code ignored;
    fs::remove(path, ignored);
    unfinished_files.erase(path);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  fs::path path;
};

}  // namespace

std::vector<std::byte> read_file(const fs::path& path, std::size_t most_bytes) {
  return read_whole<std::vector<std::byte>>(path, most_bytes);
}

std::string read_text(const fs::path& path, std::size_t most_bytes) {
  return read_whole<std::string>(path, most_bytes);
}

void write_atomically(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  check_writable(path);
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return write_through(path, path, write);
  const fs::path target = follow_links(path);
  const fs::path folder = folder_of(target);
  const Unfinished beside(folder / fmt::format(".{}.{}.part", target.filename().string(), ::getpid()));
  write_through(beside.path, path, write);
  if (!flush_to_disk(beside.path, O_RDONLY)) cannot_write(path, std::strerror(errno));
  std::error_code trouble;
  fs::rename(beside.path, target, trouble);
  if (trouble) cannot_write(path, trouble.message());
  flush_to_disk(folder, O_RDONLY | O_DIRECTORY);
}

void check_writable(const fs::path& path) {
  std::error_code ignored;
  const fs::path folder = folder_of(path);
  if (path.empty()) cannot_write(path, "the name is empty");
  if (fs::is_directory(path, ignored)) cannot_write(path, "it is a folder");
  if (!fs::is_directory(folder, ignored)) cannot_write(path, fmt::format("there is no folder '{}'", folder.string()));
  const bool special = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
  if (::access(special ? path.c_str() : folder.c_str(), W_OK) != 0) cannot_write(path, std::strerror(errno));
}

void remove_unfinished_files() {
  const std::scoped_lock lock(unfinished_mutex);
  std::error_code ignored;
  for (const fs::path& path : unfinished_files) fs::remove(path, ignored);
}

void throw_corrupt(std::string_view where, std::string_view what) {
  throw Error(ErrorCode::corrupt_file, fmt::format("'{}' {}", where, what),
              "Write the file again; it was cut short or damaged");
}

}  // namespace mercer

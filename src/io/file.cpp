#include "io/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <streambuf>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/ordinary.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// A descriptor that is closed when its owner goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

template <class Bytes>
Bytes read_whole(const fs::path& path, std::size_t most_bytes) {
  const OrdinaryFile file(path);
  const std::size_t size = file.size();
  if (size > most_bytes) {
    throw Error(ErrorCode::too_large,
                fmt::format("'{}' has {} bytes; legal: at most {}", path.string(), size, most_bytes),
                "Give a smaller file; docs/reference/limits.md lists what is read");
  }
  Bytes bytes(size, typename Bytes::value_type{});
  for (std::size_t have = 0; have < size;) {
    const ssize_t got = ::read(file.descriptor(), bytes.data() + have, size - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw Error(ErrorCode::cannot_open, fmt::format("'{}' could not be read to its end", path.string()),
                  "Check the disk and try again");
    }
    have += static_cast<std::size_t>(got);
  }
  return bytes;
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

// A stream into a descriptor that knows why it failed, which a stream of the library's does not.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int file) : file_(file) { setp(held_.data(), held_.data() + held_.size()); }
  int trouble() const { return trouble_; }

 private:
  int overflow(int letter) override {
    if (sync() != 0) return traits_type::eof();
    if (!traits_type::eq_int_type(letter, traits_type::eof())) sputc(traits_type::to_char_type(letter));
    return traits_type::not_eof(letter);
  }
  int sync() override {
    for (const char* at = pbase(); at < pptr() && trouble_ == 0;) {
      const ssize_t done = ::write(file_, at, static_cast<std::size_t>(pptr() - at));
      if (done >= 0) at += done;
      if (done < 0 && errno != EINTR) trouble_ = errno;
    }
    setp(held_.data(), held_.data() + held_.size());
    return trouble_ == 0 ? 0 : -1;
  }

  int file_;
  int trouble_ = 0;
  std::array<char, 1 << 16> held_;
};

// Errors name `wanted`, the file that the user asked for.
void fill(int file, const fs::path& wanted, const std::function<void(std::ostream&)>& write) {
  const auto buffer = std::make_unique<DescriptorBuffer>(file);
  std::ostream out(buffer.get());
  write(out);
  out.flush();
  if (!out) cannot_write(wanted, buffer->trouble() != 0 ? std::strerror(buffer->trouble()) : "its writer failed");
}

// A device, a pipe or a socket.
void write_through(const fs::path& path, const std::function<void(std::ostream&)>& write) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) cannot_write(path, std::strerror(errno));
  fill(file.number(), path, write);
}

std::mutex unfinished_mutex;
std::set<fs::path> unfinished_files;

// A temporary file of this process alone, gone when its writer is done with it, renamed or not. What stands under its
// name already, a link above all, is not touched.
class Unfinished {
 public:
  Unfinished(const fs::path& target, const fs::path& wanted) {
    constexpr std::size_t longest = 200;  // with what is added still a legal name
    const std::string name = target.filename().string().substr(0, longest);
    for (int attempt = 0;; ++attempt) {
      path_ = folder_of(target) / fmt::format(".{}.{}{}.part", name, ::getpid(),
                                              attempt == 0 ? std::string() : fmt::format("-{}", attempt));
      const std::scoped_lock lock(unfinished_mutex);
      const auto listed = unfinished_files.insert(path_).first;  // first: where memory runs out there is no file yet
      number_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (number_ >= 0) return;
      const int trouble = errno;
      unfinished_files.erase(listed);
      if (trouble != EEXIST || attempt == 100) cannot_write(wanted, std::strerror(trouble));
    }
  }
  ~Unfinished() {
    ::close(number_);
    const std::scoped_lock lock(unfinished_mutex);
    std::error_code ignored;
    if (!kept_) fs::remove(path_, ignored);
    unfinished_files.erase(path_);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  int number() const { return number_; }
  const fs::path& path() const { return path_; }
  /// From here on a process that ends leaves the file: another one has its name.
  void unlist() {
    const std::scoped_lock lock(unfinished_mutex);
    unfinished_files.erase(path_);
  }
  /// It stays.
  void keep() { kept_ = true; }

 private:
  int number_ = -1;
  bool kept_ = false;
  fs::path path_;
};

int exchange_names(const fs::path& one, const fs::path& other) {
  return ::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) == 0 ? 0 : errno;
}

[[noreturn]] void refuse_to_replace(const fs::path& wanted) {
  throw Error(ErrorCode::cannot_write,
              fmt::format("'{}' was replaced by another file meanwhile, and that one stays", wanted.string()),
              "Run the command again");
}

// After the exchange the file that was at `target` goes back there, or one that came there since.
void put_back(Unfinished& beside, const fs::path& target, const fs::path& wanted) {
  struct stat own {
  }, found{};
  int failed = exchange_names(beside.path(), target);
  if (failed == 0 && ::fstat(beside.number(), &own) == 0 && ::stat(beside.path().c_str(), &found) == 0 &&
      own.st_ino != found.st_ino) {
    failed = exchange_names(beside.path(), target);
  }
  if (failed == 0) return;
  beside.keep();
  cannot_write(wanted, fmt::format("{}. What was there is now '{}'", std::strerror(failed), beside.path().string()));
}

void take_place(Unfinished& beside, const fs::path& target, const MayReplace& may_replace, const fs::path& wanted) {
  if (!may_replace(target)) refuse_to_replace(wanted);
  beside.unlist();
  const int failed = exchange_names(beside.path(), target);
  if (failed == EINVAL || failed == ENOSYS) {
    std::error_code trouble;
    fs::rename(beside.path(), target, trouble);
    if (trouble) cannot_write(wanted, trouble.message());
    return;
  }
  if (failed != 0) cannot_write(wanted, std::strerror(failed));
  bool right = false;
  try {
    right = may_replace(beside.path());
  } catch (...) {
    put_back(beside, target, wanted);
    throw;
  }
  if (right) return;
  put_back(beside, target, wanted);
  refuse_to_replace(wanted);
}

// Writes to a temporary name, has it renamed, and waits for the disk.
void write_beside(const fs::path& path, const std::function<void(std::ostream&)>& write,
                  const std::function<void(Unfinished&, const fs::path& target)>& rename) {
  const fs::path target = follow_links(path);
  Unfinished beside(target, path);
  struct stat before {};
  const bool replaces = ::stat(target.c_str(), &before) == 0;
  if (replaces && ::fchmod(beside.number(), before.st_mode & 07777) != 0) cannot_write(path, std::strerror(errno));
  fill(beside.number(), path, write);
  // After a crash a rename is only safe when the bytes, and then the folder's entry, have reached the disk.
  if (::fsync(beside.number()) != 0) cannot_write(path, std::strerror(errno));
  rename(beside, target);
  if (const int failed = flush_to_disk(folder_of(target)); failed != 0) {
    throw Error(
        ErrorCode::cannot_write,
        fmt::format("'{}' is written, but a power failure may still undo it: {}", path.string(), std::strerror(failed)),
        "Check the disk and write it again");
  }
}

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
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return write_through(path, write);
  write_beside(path, write, [&](const Unfinished& beside, const fs::path& target) {
    std::error_code trouble;
    fs::rename(beside.path(), target, trouble);
    if (trouble) cannot_write(path, trouble.message());
  });
}

void replace_atomically(const fs::path& path, const MayReplace& may_replace,
                        const std::function<void(std::ostream&)>& write) {
  check_writable(path);
  write_beside(path, write,
               [&](Unfinished& beside, const fs::path& target) { take_place(beside, target, may_replace, path); });
}

int flush_to_disk(const fs::path& path) {
  const Descriptor opened(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.number() < 0 || ::fsync(opened.number()) == 0 || errno == EINVAL) return 0;
  return errno;
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

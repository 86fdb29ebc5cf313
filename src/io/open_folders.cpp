#include "io/open_folders.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/sha256.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

namespace fs = std::filesystem;

// Opened without waiting: a pipe that nobody writes to would wait for ever.
constexpr int to_read = O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;

std::atomic<const OpenFolders*> limit = nullptr;

fs::path absolute_of(const fs::path& path) {
  std::error_code none;
  return fs::absolute(path, none).lexically_normal();
}

// What is left of a path below a folder; nothing where it is not below.
std::optional<fs::path> below(const fs::path& path, const fs::path& folder) {
  const fs::path root = folder.has_filename() ? folder : folder.parent_path();
  const auto [at, rest] = std::ranges::mismatch(root, path);
  if (at != root.end() || rest == path.end()) return std::nullopt;
  fs::path left;
  for (auto part = rest; part != path.end(); ++part) left /= *part;
  return left;
}

// Each part by itself, and none of them a link: for kernels without openat2.
int walk(int folder, const fs::path& path) {
  int at = ::fcntl(folder, F_DUPFD_CLOEXEC, 0);
  for (auto part = path.begin(); at >= 0 && part != path.end(); ++part) {
    if (part->empty() || *part == "." || *part == "..") {
      ::close(at);
      errno = EXDEV;
      return -1;
    }
    const bool last = std::next(part) == path.end();
    const int next = ::openat(at, part->c_str(), O_NOFOLLOW | (last ? to_read : O_PATH | O_DIRECTORY | O_CLOEXEC));
    const int trouble = errno;
    ::close(at);
    errno = next < 0 && (trouble == ELOOP || (trouble == ENOTDIR && !last)) ? EXDEV : trouble;
    at = next;
  }
  return at;
}

int open_below(int folder, const fs::path& path) {
  open_how how{};
  how.flags = to_read;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  for (int attempt = 0;; ++attempt) {
    const auto number = static_cast<int>(::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof how));
    if (number >= 0) return number;
    // EAGAIN: something was renamed meanwhile, and the kernel cannot tell whether the path stayed below.
    if (errno == EAGAIN && attempt < 100) continue;
    if (errno == ENOSYS || errno == EPERM) return walk(folder, path);
    return -1;
  }
}

}  // namespace

OpenFolders::OpenFolders(const std::vector<fs::path>& folders) {
  for (const fs::path& path : folders) {
    const int number = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (number < 0) {
      const int trouble = errno;
      close_all();
      throw Error(ErrorCode::cannot_open, fmt::format("cannot open '{}': {}", path.string(), std::strerror(trouble)),
                  "Check the name and that you may read it");
    }
    std::error_code none;
    folders_.push_back({number, {absolute_of(path), fs::canonical(path, none)}});
  }
}

OpenFolders::~OpenFolders() { close_all(); }

void OpenFolders::close_all() {
  forget_files();
  for (const Folder& folder : folders_) ::close(folder.descriptor);
}

bool OpenFolders::allow_file(const fs::path& path, const std::string& sha256) {
  const int number = ::open(path.c_str(), to_read);
  if (number < 0) return false;
  struct stat facts {};
  if (::fstat(number, &facts) != 0 || !S_ISREG(facts.st_mode) || sha256_of(number) != sha256) {
    ::close(number);
    return false;
  }
  files_.push_back({number, absolute_of(path)});
  return true;
}

void OpenFolders::forget_files() {
  for (const File& file : files_) ::close(file.descriptor);
  files_.clear();
}

int OpenFolders::open(const fs::path& path) const {
  const fs::path wanted = absolute_of(path);
  for (const File& file : files_) {
    // Opened again, as descriptors share their place in the file.
    if (file.path == wanted) return ::open(fmt::format("/proc/self/fd/{}", file.descriptor).c_str(), to_read);
  }
  std::error_code none;
  // Where links lead is only a guess at a name: what is opened lies below the folder in any case.
  const fs::path followed = fs::weakly_canonical(wanted, none);
  int trouble = EXDEV;
  for (const Folder& folder : folders_) {
    for (const fs::path& root : folder.known_as) {
      for (const fs::path& name : {wanted, followed}) {
        const auto rest = below(name, root);
        if (!rest) continue;
        const int number = open_below(folder.descriptor, *rest);
        if (number >= 0) return number;
        if (errno != EXDEV) trouble = errno;
      }
    }
  }
  errno = trouble;
  return -1;
}

bool OpenFolders::contains(const fs::path& path) const {
  const int number = open(path);
  if (number < 0) return errno != EXDEV;
  ::close(number);
  return true;
}

std::vector<std::string> OpenFolders::names(std::size_t index) const {
  std::vector<std::string> found;
  // Opened again, as descriptors share their place in the list.
  const int number = ::openat(folders_.at(index).descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> list(number < 0 ? nullptr : ::fdopendir(number), ::closedir);
  if (!list) return found;
  while (const dirent* entry = ::readdir(list.get())) {
    const std::string name = static_cast<const char*>(entry->d_name);
    if (name != "." && name != "..") found.push_back(name);
  }
  std::ranges::sort(found);
  return found;
}

std::vector<int> OpenFolders::descriptors() const {
  std::vector<int> all;
  for (const Folder& folder : folders_) all.push_back(folder.descriptor);
  return all;
}

ReadingOnly::ReadingOnly(const OpenFolders* folders) : before_(limit.exchange(folders)) {}
ReadingOnly::~ReadingOnly() { limit = before_; }

const OpenFolders* ReadingOnly::folders() { return limit; }

int open_to_read(const fs::path& path) {
  const OpenFolders* folders = limit;
  return folders == nullptr ? ::open(path.c_str(), to_read) : folders->open(path);
}

}  // namespace mercer

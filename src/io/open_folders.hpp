#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mercer {

/// Folders that were opened once and are read through their descriptors from then on: whatever happens to their names,
/// and whatever links stand in them, nothing outside of them is opened.
///
/// A link inside a folder may lead to another place in it. Where the kernel has no openat2 (Linux before 5.6), each
/// part of a path is opened by itself, and a link that is swapped in meanwhile is refused.
class OpenFolders {
 public:
  /// Throws `cannot_open` for what is no folder or may not be read.
  explicit OpenFolders(const std::vector<std::filesystem::path>& folders);
  ~OpenFolders();
  OpenFolders(const OpenFolders&) = delete;
  OpenFolders& operator=(const OpenFolders&) = delete;

  /// Also lets this one file be read, as it is now, if its SHA-256 is `sha256`. Whether it was.
  bool allow_file(const std::filesystem::path& path, const std::string& sha256);
  void forget_files();  ///< allows none of them any more

  /// A new descriptor of an ordinary file, a pipe or a device, opened to read without waiting; -1 with `errno` where
  /// there is none, EXDEV for what lies elsewhere.
  int open(const std::filesystem::path& path) const;

  /// Whether a path leads to a place in one of them, or to a file that is allowed; false for every other, whatever is
  /// there.
  bool contains(const std::filesystem::path& path) const;

  /// Names of the entries of folder `index`, sorted.
  std::vector<std::string> names(std::size_t index) const;

  /// The descriptors of the folders, for rules of the kernel's.
  std::vector<int> descriptors() const;

 private:
  struct Folder {
    int descriptor;
    std::vector<std::filesystem::path> known_as;  ///< absolute, as given and with its links followed
  };
  struct File {
    int descriptor;
    std::filesystem::path path;  ///< absolute
  };
  void close_all();

  std::vector<Folder> folders_;
  std::vector<File> files_;
};

/// While it lives, this process opens files to read only through these folders, in every thread; null lifts an outer
/// limit for its own time. Files elsewhere are `cannot_open`: "lies outside of the given folders". Not for programs
/// that read other things meanwhile.
class ReadingOnly {
 public:
  explicit ReadingOnly(const OpenFolders* folders);
  ~ReadingOnly();
  ReadingOnly(const ReadingOnly&) = delete;
  ReadingOnly& operator=(const ReadingOnly&) = delete;

  /// Those of the innermost limit; null without one.
  static const OpenFolders* folders();

 private:
  const OpenFolders* before_;
};

/// A descriptor to read from, within the limit of `ReadingOnly`; -1 with `errno`.
int open_to_read(const std::filesystem::path& path);

}  // namespace mercer

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "mercer/export/c.hpp"

namespace mercer::test {

/// A folder of its own that goes away.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// One way to compile the exported C: the command in front of the sources.
struct Compiler {
  std::string name, command;
};
/// gcc and clang as strict C99, each with -ffast-math, too; g++ as C++11.
std::vector<Compiler> compilers();

/// Exported C together with a program that reads observations and writes actions, in a clean folder. Numbers are float
/// or int32, as exported. `noise` is empty to act, or what NAME_sample takes for each column.
class Compiled {
 public:
  Compiled(const CExport& code, const COptions& options, const Compiler& compiler, std::size_t observations,
           std::size_t actions, bool samples, bool normal);
  bool ok() const { return problem_.empty(); }
  const std::string& problem() const { return problem_; }
  /// What the self-test returned.
  int selftest() const;
  template <class T>
  std::vector<T> act(const std::vector<T>& obs, const std::vector<T>& noise = {}) const;

 private:
  Folder folder_;
  std::size_t observations_, actions_;
  std::string problem_;
};

}  // namespace mercer::test

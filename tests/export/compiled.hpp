#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mercer/export.hpp"

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

/// One way to compile the exported C: the command in front of "-c FILE.c".
struct Compiler {
  std::string name, command;
};
/// gcc and clang as strict C99, each with -ffast-math, too; g++ as C++11.
std::vector<Compiler> compilers();
/// gcc such that what is undefined in C ends the process, as a sum that overflows does.
Compiler trapping();

/// Exported controllers of different names, compiled in a clean folder and loaded into this process. Those that say
/// they need no libm are linked without it, and nothing may stay undefined.
class Compiled {
 public:
  struct Source {
    std::string name;
    CExport code;
  };
  Compiled(const std::vector<Source>& sources, const Compiler& compiler);
  ~Compiled();
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;

  /// What the compiler or the linker said; empty: nothing.
  const std::string& problem() const { return problem_; }
  /// NAME_selftest().
  int selftest(const std::string& name) const;
  /// NAME_act and, with more arguments in the type, NAME_sample: function<void(const float*, float*)>(name + "_act").
  template <class Function>
  Function* function(const std::string& name) const {
    return reinterpret_cast<Function*>(find(name));
  }

 private:
  void* find(const std::string& name) const;
  bool run(const std::string& command);

  Folder folder_;
  std::vector<void*> loaded_;
  std::string problem_;
};

/// Compiles the example beside its controller to a program and runs it; what went wrong, or nothing.
std::string run_example(const CExport& code, const std::string& name, const Compiler& compiler);

}  // namespace mercer::test

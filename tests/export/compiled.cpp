#include "export/compiled.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

namespace mercer::test {
namespace {

const std::string strict = "-Wall -Wextra -Wpedantic -Wconversion -Werror";

std::string contents(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

bool needs_libm(const CExport& code) { return code.source.find("<math.h>") != std::string::npos; }

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "mercer-export-XXXXXX").string();
  path_ = mkdtemp(name.data());
}
Folder::~Folder() { std::filesystem::remove_all(path_); }

std::vector<Compiler> compilers() {
  return {{"gcc", "gcc -std=c99 -O1 " + strict},
          {"clang", "clang -std=c99 " + strict},
          {"gcc fast-math", "gcc -std=c99 -O1 -ffast-math " + strict},
          {"clang fast-math", "clang -std=c99 -O1 -ffast-math " + strict},
          {"g++", "g++ -x c++ -std=c++11 " + strict}};
}

Compiler trapping() {
  return {"gcc, undefined behaviour traps",
          "gcc -std=c99 -O1 -fsanitize=undefined,float-cast-overflow,float-divide-by-zero "
          "-fsanitize-undefined-trap-on-error"};
}

Compiled::Compiled(const std::vector<Source>& sources, const Compiler& compiler) {
  std::vector<std::string> groups[2];
  for (const Source& source : sources) {
    std::ofstream(folder_.path() / (source.name + ".h")) << source.code.header;
    std::ofstream(folder_.path() / (source.name + ".c")) << source.code.source;
    groups[needs_libm(source.code) ? 1 : 0].push_back(source.name);
  }
  if (!run(fmt::format("ls *.c | xargs -P 2 -n 8 {} -fPIC -c", compiler.command))) return;
  for (const bool libm : {false, true}) {
    if (groups[libm].empty()) continue;
    std::string objects;
    for (const std::string& name : groups[libm]) objects += " " + name + ".o";
    // Without -ffast-math here: linked with it, loading would change how this process rounds.
    const std::string library = libm ? "with.so" : "without.so";
    if (!run(fmt::format("gcc -shared -Wl,--no-undefined -o {}{} {}", library, objects, libm ? "-lm" : ""))) return;
    loaded_.push_back(dlopen((folder_.path() / library).c_str(), RTLD_NOW | RTLD_LOCAL));
    if (loaded_.back() == nullptr) problem_ = dlerror();
  }
}

Compiled::~Compiled() {
  for (void* library : loaded_) {
    if (library != nullptr) dlclose(library);
  }
}

bool Compiled::run(const std::string& command) {
  const std::string whole = fmt::format("cd {} && {} > errors 2>&1", folder_.path().string(), command);
  if (std::system(whole.c_str()) == 0) return true;
  problem_ = command + "\n" + contents(folder_.path() / "errors");
  return false;
}

void* Compiled::find(const std::string& name) const {
  for (void* library : loaded_) {
    if (void* const found = dlsym(library, name.c_str())) return found;
  }
  return nullptr;
}

int Compiled::selftest(const std::string& name) const { return function<int()>(name + "_selftest")(); }

std::string run_example(const CExport& code, const std::string& name, const Compiler& compiler) {
  const Folder folder;
  std::ofstream(folder.path() / (name + ".h")) << code.header;
  std::ofstream(folder.path() / (name + ".c")) << code.source;
  std::ofstream(folder.path() / "main.c") << code.example;
  const std::string command =
      fmt::format("cd {} && ({} {}.c main.c -o example {} && ./example) > said 2>&1", folder.path().string(),
                  compiler.command, name, needs_libm(code) ? "-lm" : "");
  return std::system(command.c_str()) == 0 ? "" : contents(folder.path() / "said");
}

}  // namespace mercer::test

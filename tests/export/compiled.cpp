#include "export/compiled.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

namespace mercer::test {
namespace {

const std::string strict = "-Wall -Wextra -Wpedantic -Wconversion -Werror -O1";

template <class T>
void write(const std::filesystem::path& path, const std::vector<T>& numbers) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(T)));
}

}  // namespace

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "mercer-export-XXXXXX").string();
  path_ = mkdtemp(name.data());
}
Folder::~Folder() { std::filesystem::remove_all(path_); }

std::vector<Compiler> compilers() {
  return {{"gcc", "gcc -std=c99 " + strict},
          {"clang", "clang -std=c99 " + strict},
          {"gcc fast-math", "gcc -std=c99 -ffast-math " + strict},
          {"clang fast-math", "clang -std=c99 -ffast-math " + strict},
          {"g++", "g++ -x c++ -std=c++11 " + strict}};
}

Compiled::Compiled(const CExport& code, const COptions& options, const Compiler& compiler, std::size_t observations,
                   std::size_t actions, bool samples, bool normal)
    : observations_(observations), actions_(actions) {
  const bool fixed = options.numbers == CNumbers::fixed;
  const std::string type = fixed ? "int32_t" : "float";
  std::ofstream(folder_.path() / (options.name + ".h")) << code.header;
  std::ofstream(folder_.path() / (options.name + ".c")) << code.source;
  std::ofstream(folder_.path() / "example.c") << code.example;
  std::string sample;
  if (samples) {
    sample = normal ? fmt::format("if (noise) {0}_sample(obs, z, act); else ", options.name)
                    : fmt::format("if (noise) {0}_sample(obs, {1}z[0], act); else ", options.name,
                                  fixed ? "(uint32_t)" : "");
  }
  std::ofstream(folder_.path() / "driver.c") << fmt::format(R"(#include <stdio.h>
#include "{0}.h"
int main(int count, char **names)
{{
  {1} obs[{2}], act[{3}], z[{3}];
  FILE *in, *out, *noise;
  if (count < 3) return {0}_selftest();
  in = fopen(names[1], "rb");
  out = fopen(names[2], "wb");
  noise = count > 3 ? fopen(names[3], "rb") : NULL;
  while (fread(obs, sizeof obs, 1, in) == 1) {{
    if (noise && fread(z, sizeof z, 1, noise) != 1) return 1;
    {4}{0}_act(obs, act);
    if (fwrite(act, sizeof act, 1, out) != 1) return 1;
  }}
  return fclose(out);
}}
)",
                                                            options.name, type, observations, actions, sample);
  const bool libm = code.source.find("<math.h>") != std::string::npos;  // what says it needs none must link without
  const std::string errors = (folder_.path() / "errors").string();
  for (const char* main : {"driver", "example"}) {
    const std::string command = fmt::format("cd {0} && {1} {2}.c {3}.c -o {3} {4} > {5} 2>&1", folder_.path().string(),
                                            compiler.command, options.name, main, libm ? "-lm" : "", errors);
    if (std::system(command.c_str()) == 0) continue;
    std::stringstream said;
    said << std::ifstream(errors).rdbuf();
    problem_ = said.str() + "\n" + code.source;
    return;
  }
  if (std::system(fmt::format("{}/example > {}", folder_.path().string(), errors).c_str()) != 0)
    problem_ = "the example fails";
}

int Compiled::selftest() const { return WEXITSTATUS(std::system((folder_.path() / "driver").string().c_str())); }

template <class T>
std::vector<T> Compiled::act(const std::vector<T>& obs, const std::vector<T>& noise) const {
  write(folder_.path() / "in", obs);
  write(folder_.path() / "noise", noise);
  std::string command =
      fmt::format("cd {} && ./driver in out{}", folder_.path().string(), noise.empty() ? "" : " noise");
  if (std::system(command.c_str()) != 0) return {};
  std::vector<T> out(obs.size() / observations_ * actions_);
  std::ifstream(folder_.path() / "out", std::ios::binary)
      .read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size() * sizeof(T)));
  return out;
}

template std::vector<float> Compiled::act(const std::vector<float>&, const std::vector<float>&) const;
template std::vector<std::int32_t> Compiled::act(const std::vector<std::int32_t>&,
                                                 const std::vector<std::int32_t>&) const;

}  // namespace mercer::test

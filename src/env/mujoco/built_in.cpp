#include "env/mujoco/built_in.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "mercer/error.hpp"

namespace mercer {

std::string_view built_in_text(std::string_view name) {
  const auto files = built_in_files();
  const auto found = std::ranges::find(files, name, &BuiltInFile::name);
  if (found != files.end()) return found->text;
  std::vector<std::string> known;
  for (const BuiltInFile& file : files) known.emplace_back(file.name);
  throw_unknown("built-in file", name, known);
}

}  // namespace mercer

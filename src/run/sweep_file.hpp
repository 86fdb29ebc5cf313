#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "run/sweep.hpp"

namespace mercer {

/// Keys whose values walk side by side: step i takes the i-th value of each.
struct SweepAxis {
  std::vector<std::string> keys;
  std::size_t steps = 1;
};

/// A sweep file, checked: every key is one of a stage that is in use.
struct SweepFile {
  std::vector<std::string> stages;                         ///< in use, in the order of work
  std::map<std::string, std::vector<std::string>> values;  ///< by key, "seed" or "embed.basis"
  std::vector<std::string> varied;                         ///< keys with several values, in the file's order
  std::vector<SweepAxis> axes;
};

SweepFile read_sweep_file(const std::filesystem::path& file, const std::vector<SweepStage>& known);

}  // namespace mercer

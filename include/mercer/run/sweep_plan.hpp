#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "mercer/io/toml.hpp"

namespace mercer {

/// A setting that an earlier stage fills: `policy` of an embedding is what the training made.
struct SweepTake {
  std::string setting;
  std::vector<std::string> stages;  ///< the first of them that the sweep has
  std::string top = {};             ///< without any of them: this setting of the top of the file
};

/// A stage as a sweep knows it.
struct SweepStage {
  std::string name;                   ///< also its table in the file
  std::vector<std::string> settings;  ///< names that the file may use
  std::vector<std::string> files;     ///< those of them that may name a file
  std::vector<SweepTake> takes;
  bool makes = true;     ///< a file that later stages can take as "@name"
  bool resumes = false;  ///< it goes on from files that a killed process left
};

/// One piece of work: a stage with all its settings. Cells that agree on them share it.
struct SweepJob {
  std::string id;  ///< 32 digits of the SHA-256 of stage, settings and the ids of what it takes
  std::string stage;
  std::map<std::string, std::string> settings;  ///< "@train" stands for what that job makes; paths as from the sweep
  std::map<std::string, std::size_t> takes;     ///< jobs by stage
  std::vector<std::string> files;               ///< files that its settings name
  bool resumes = false;
};

/// One point of the grid: a value for everything that varies, and a job for every stage.
struct SweepCell {
  std::vector<std::string> values;
  std::vector<std::size_t> jobs;
};

/// All that a sweep file asks for.
struct SweepPlan {
  std::vector<std::string> varied;  ///< keys with several values, in the file's order
  std::vector<std::string> stages;  ///< in the order of work
  std::vector<SweepCell> cells;     ///< the first key varies slowest
  std::vector<SweepJob> jobs;       ///< each after those it takes
};

/// The plan that a sweep file describes.
///
///     seed = [0, 1, 2]                     # every stage, three values
///     together = ["embed.basis, embed.k"]  # these walk side by side instead of crossing
///     [train]
///     env = "pendulum"
///     [embed]
///     basis = ["dct", "svd"]
///     k = [400, 12]
///
/// A table is a stage; `stages = [...]` names those that need no table. A key at the top is for every stage that knows
/// it and does not say otherwise. An array holds the values to try, crossed with all other arrays. What a stage takes
/// from an earlier one is filled in unless its own table says so ("@train", "@train:kind=greedy", or anything else).
/// Paths are as seen from the folder of the file, and become paths as seen from `from`, the folder where jobs run.
///
/// Throws `unknown_name` with the nearest known name for tables, keys and stages, `bad_value` for arrays that cannot
/// walk together, values given twice, keys that nothing uses and references to later stages, `too_large` for more than
/// 10^6 cells, and what `read_toml` throws. Cost: cells times settings.
SweepPlan plan_sweep(const std::filesystem::path& file, const std::vector<SweepStage>& known,
                     const std::filesystem::path& from);

}  // namespace mercer

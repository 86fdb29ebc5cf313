#pragma once

#include <string>
#include <string_view>

#include "mercer/learn/options.hpp"

namespace mercer {

enum class Algorithm { sac, dqn };

/// Settings that are known to work for a task.
struct Recipe {
  std::string name;  ///< the task it was made for, or "published" for the defaults
  std::string why;   ///< what is different from the defaults, and why; empty for the defaults
  std::uint64_t steps = 10'000;
  AlgorithmOptions options;
};

/// The recipe of a built-in task (by `Task::name`) where the published defaults do not learn it, else the defaults.
Recipe recipe_for(Algorithm algorithm, std::string_view task);

}  // namespace mercer

#pragma once

#include <string>

namespace mercer {

/// A task as C: `task_observe(state, obs)`, and `task_step(state, act, &ended)`, which returns the reward.
struct Plant {
  std::string task;  ///< its name
  std::size_t states;
  std::string code;
};

/// Null where there is no such model.
const Plant* plant_of(const std::string& task);

}  // namespace mercer

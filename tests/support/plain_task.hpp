#pragma once

#include <fmt/format.h>

#include "mercer/env.hpp"

namespace mercer {

/// A task of which only the number of observations and the actions matter.
inline Task plain_task(std::size_t observations, Space action) {
  Task task;
  task.name = "plain";
  for (std::size_t d = 0; d < observations; ++d) {
    task.observation.axes.push_back({fmt::format("x{}", d), {-1, 1}, "", false});
  }
  task.action = std::move(action);
  return task;
}

}  // namespace mercer

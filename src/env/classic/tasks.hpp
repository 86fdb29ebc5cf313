#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

// The built-in tasks.
EnvEntry pendulum_entry();
EnvEntry pendulum_v0_entry();
EnvEntry continuous_mountain_car_entry();
EnvEntry mountain_car_entry();
EnvEntry cart_pole_entry();
EnvEntry acrobot_entry();
EnvEntry turntable_entry();
EnvEntry noisy_bandit_entry();
EnvEntry chain_entry();
EnvEntry tabular_entry();
EnvEntry quadrotor_entry();

/// Batches are cut into chunks of this many columns where a task needs scratch space: it fits on the stack and in the
/// first-level cache.
inline constexpr std::size_t chunk_columns = 256;
using Chunk = std::array<double, chunk_columns>;

/// body(begin, count) for each chunk of the columns.
template <class Body>
void for_each_chunk(std::size_t columns, Body body) {
  for (std::size_t begin = 0; begin < columns; begin += chunk_columns) {
    body(begin, std::min(chunk_columns, columns - begin));
  }
}

}  // namespace mercer

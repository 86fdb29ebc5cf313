#pragma once

#include <vector>

#include "mercer/env/registry.hpp"

namespace mercer {

// The built-in tasks, one file each.
EnvEntry pendulum_entry();
EnvEntry pendulum_v0_entry();
EnvEntry continuous_mountain_car_entry();
EnvEntry mountain_car_entry();
EnvEntry cart_pole_entry();
EnvEntry turntable_entry();
EnvEntry noisy_bandit_entry();
EnvEntry chain_entry();
EnvEntry tabular_entry();

}  // namespace mercer

#pragma once

#include <functional>
#include <span>

#include "mercer/rollout.hpp"

namespace mercer {

/// Fills values that take playing: shared with other processes, and on all threads where the player allows it.
void fill_played(const Player& player, std::span<double> values, const std::function<double(std::size_t)>& value);

}  // namespace mercer

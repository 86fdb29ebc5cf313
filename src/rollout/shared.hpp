#pragma once

#include <string>

#include "mercer/rollout/rollouts.hpp"

namespace mercer {

/// The episodes of rollouts as bytes, for another process of the same build; names, seed and discount are left out.
std::string pack_episodes(const Rollouts& rollouts);
Rollouts unpack_episodes(const std::string& bytes);

}  // namespace mercer

#pragma once

#include "mercer/rollout.hpp"

namespace mercer {

/// Episodes first .. first+count-1 in lockstep on this thread. The options have been checked and completed.
Rollouts play_lockstep(const Env& env, const Policy& policy, const RolloutOptions& options, std::size_t first,
                       std::size_t count, const Progress& progress);

}  // namespace mercer

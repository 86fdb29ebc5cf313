#pragma once

#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// Returns of two policies, episode by episode, on the same start states and the same noise.
struct PairedReturns {
  std::vector<double> teacher, student;                        ///< undiscounted
  std::vector<double> discounted_teacher, discounted_student;  ///< with the rollouts' gamma
  Range range;  ///< the task's declared range of the undiscounted return at this horizon
  std::uint64_t seed = 0;
};

/// Plays both policies with one seed: draws are keyed by (seed, stage, episode, step), so that both meet the same start
/// states, the same noise, and draw their actions from the same random numbers. Each alone is played exactly as
/// `rollout` plays it. `keep_steps` is ignored. Throws what `rollout` throws.
PairedReturns paired_returns(const Env& env, const Policy& teacher, const Policy& student,
                             const RolloutOptions& options, const Progress& progress = {});

}  // namespace mercer

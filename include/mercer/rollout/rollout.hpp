#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "mercer/core/progress.hpp"
#include "mercer/core/team.hpp"
#include "mercer/env/env.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/rollouts.hpp"

namespace mercer {

/// How a policy is played.
enum class Act {
  sample,  ///< as it is: actions are drawn
  mean,    ///< its mean action, nothing drawn
};

struct RolloutOptions {
  std::size_t episodes = 100;  ///< 1 to 10^9
  std::uint64_t seed = 0;      ///< any
  std::size_t batch = 0;       ///< episodes in lockstep, 0 (chosen here) to 2^20; no effect on any result
  Act act = Act::sample;
  std::optional<double> gamma{};           ///< 0 to 1; by default the task's
  std::optional<std::uint32_t> horizon{};  ///< steps until an episode is cut off, 1 to 10^9; by default the task's
  bool keep_steps = true;                  ///< false: returns only, in little memory
  std::vector<double> start_states{};      ///< rows; episode e starts in row e modulo their number; empty: drawn
};

/// Plays episodes of a policy in a task, many in lockstep, on all allowed threads.
///
/// Every draw is keyed by (seed, stage, episode, step): the result is the same to the bit for any batch size and number
/// of threads, and two policies played with one seed meet the same start states and the same noise. Actions on a box
/// are clipped to it before they are played, so that the task's declared bounds on rewards and returns hold.
///
/// Throws `out_of_range` for options outside their range, `shape_mismatch` when policy, task and start states do not
/// fit, `not_finite` naming episode and step when an action is NaN or infinite.
Rollouts rollout(const Env& env, const Policy& policy, const RolloutOptions& options, const Progress& progress = {});

/// Only the episodes `part` of those, to the same bits, and always by this process alone: for work that does not hold
/// all steps at once, or shares them in its own way. Throws `out_of_range` for episodes that are none, too.
Rollouts rollout_part(const Env& env, const Policy& policy, const RolloutOptions& options, Share part,
                      const Progress& progress = {});

}  // namespace mercer

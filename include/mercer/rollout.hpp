#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/names.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// What a policy met in a task: all steps of all episodes, one row each, episode after episode.
///
/// Matrices are row-major. Rows offsets[e] .. offsets[e+1]-1 belong to episode e. When only the returns were asked for,
/// the per-step arrays are empty and `offsets` still counts the steps.
struct Rollouts {
  std::string env;
  std::string policy;
  std::uint64_t seed = 0;
  double gamma = 1;
  bool discrete_actions = false;
  std::vector<std::string> state_names, observation_names, action_names;

  std::vector<std::int64_t> offsets{0};  ///< episodes + 1
  std::vector<double> states;            ///< steps x states, before the action
  std::vector<double> observations;      ///< steps x observations, what the policy saw
  std::vector<double> actions;           ///< steps x actions, as played (clipped to the action space)
  std::vector<double> rewards;           ///< steps

  std::vector<double> start_states;        ///< episodes x states
  std::vector<double> final_observations;  ///< episodes x observations, after the last action
  std::vector<double> returns;             ///< episodes, sum of rewards
  std::vector<double> discounted_returns;  ///< episodes, sum of gamma^t rewards
  std::vector<std::uint8_t> terminated;    ///< episodes; 1 ended by the task, 0 cut off by the time limit

  std::size_t episodes() const { return offsets.size() - 1; }
  std::size_t steps() const { return static_cast<std::size_t>(offsets.back()); }
  bool has_steps() const { return rewards.size() == steps(); }
};

/// Appends the episodes of `part`, which must come from the same task.
void append(Rollouts& all, const Rollouts& part);

/// Writes by the file's ending: .npz (numpy loads it, everything is kept) or .csv (a line per step and a closing line
/// per episode with the last observation; no seed, names of task and policy, discount, or whether actions are
/// discrete). Throws `missing_option` for a .csv of rollouts without steps.
void write_rollouts(const std::filesystem::path& path, const Rollouts& rollouts);

/// Reads either back. `gamma` discounts the returns anew; without it a .npz keeps its own and a .csv, which does
/// not say, gets 0.99. A .csv needs the columns `episode`,
/// `obs.*`, `action.*` and `reward`; `state.*`, `step` and `terminated` are optional.
Rollouts read_rollouts(const std::filesystem::path& path, std::optional<double> gamma = std::nullopt);

/// Throws `bad_value` unless the name ends in .npz or .csv: to be asked before long work.
void check_rollouts_path(const std::filesystem::path& path);

/// How a policy is played.
enum class Act {
  sample,  ///< as it is: actions are drawn
  mean,    ///< its mean action, nothing drawn
};
template <>
struct Names<Act> {
  static constexpr std::string_view kind = "way to act";
  static constexpr Spelling<Act> table[] = {{Act::mean, "mean"}, {Act::sample, "sample"}};
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

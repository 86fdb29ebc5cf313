#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

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

}  // namespace mercer

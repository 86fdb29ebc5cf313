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

/// How the actions of an episode move. Each dimension of the action with finite bounds is scaled to [-1, 1]; means are
/// over steps and those dimensions.
struct Motion {
  double roughness = 0;   ///< mean |a_t - a_{t-1}| / 2, in [0, 1]; discrete: share of steps with another action
  double saturation = 0;  ///< share of |a_t| >= 0.98, which is within 1% of a bound; discrete: 0
  double effort = 0;      ///< mean of a_t^2, in [0, 1]; discrete: 0
  double reversals = 0;  ///< turns a second (a step where the task has no seconds) between moves above 1% of the range;
                         ///< discrete: changes of the action a second
};

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
  std::vector<Motion> motions;             ///< episodes, where `RolloutOptions::motion` asked for it; in no file
  std::vector<double> distances;           ///< episodes, where there was a `RolloutOptions::compared`; in no file

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
  std::size_t first = 0;                   ///< number of the first episode
  bool motion = false;                     ///< measure how the actions move
  const Policy* compared = nullptr;        ///< measure how far its mean actions are, in the states that are visited
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

/// Which episodes are played, and how. Two policies that play the same episodes meet the same start states and noise.
struct Episodes {
  std::size_t count = 100;  ///< 1 to 10^9
  std::uint64_t seed = 0;   ///< any
  Act act = Act::sample;
  std::optional<double> gamma{};           ///< 0 to 1; by default the task's
  std::optional<std::uint32_t> horizon{};  ///< steps until an episode is cut off; by default the task's
  std::size_t first = 0;                   ///< number of the first episode: `count` from here on
  bool motion = false;                     ///< measure how the actions move
  const Policy* compared = nullptr;        ///< measure how far its mean actions are, in the states that are visited
};

/// What one episode came to.
struct Outcome {
  double total = 0;       ///< undiscounted return
  double discounted = 0;  ///< return discounted by the gamma of the episodes
  std::size_t steps = 0;
  bool terminated = false;  ///< ended by the task, not cut off by the time limit
  Motion motion{};          ///< where `Episodes::motion` asked for it
  double distance = 0;      ///< from `Episodes::compared`, see `distances_of`
};

/// What a policy does besides earning a return, on average over episodes.
struct Behaviour {
  Motion motion{};
  double failures = 0;  ///< share of episodes; 0 where an end of the task means nothing
  double distance = 0;  ///< from another policy's actions, in its own states; 0 where none was compared
};
Behaviour behaviour_of(std::span<const Outcome> outcomes, const Task& task);

/// How the actions of each episode move. Needs steps.
std::vector<Motion> motions_of(const Rollouts& rollouts, const Task& task);

/// Mean over the states of each episode of the distance between two policies' mean actions: |a - b|_1 / (2 m) with each
/// of the m bounded dimensions scaled to [-1, 1], in [0, 1]; for discrete actions 1 where they differ. Needs steps.
std::vector<double> distances_of(const Rollouts& rollouts, const Policy& one, const Policy& other);

/// Whether an episode of a task failed, by what its end means there; empty where an end means nothing.
std::optional<bool> failed(const Task& task, const Outcome& outcome);

/// The outcome of each episode of rollouts, with or without steps.
std::vector<Outcome> outcomes_of(const Rollouts& rollouts);

/// The return of each outcome: the undiscounted one where `gamma` is 1, otherwise the discounted one.
std::vector<double> returns_of(std::span<const Outcome> outcomes, double gamma = 1);

/// Plays policies in one task: all that a search or a certificate needs of it. `EnvPlayer` plays the library's tasks;
/// derive from this to play a simulator or a machine of your own.
class Player {
 public:
  virtual ~Player() = default;

  /// The spaces that policies must fit, the time limit and the name. Bounds on rewards are not read.
  virtual const Task& task() const = 0;

  /// Plays the episodes and reports the outcome of each. The same episodes give the same outcomes each time, and
  /// episodes of different seeds are independent.
  virtual std::vector<Outcome> play(const Policy& policy, const Episodes& episodes,
                                    const Progress& progress = {}) const = 0;

  /// Plays the same episodes and keeps their steps.
  virtual Rollouts roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress = {}) const = 0;

  /// Finite bounds on the return of every episode of at most `horizon` steps, discounted by `gamma`; empty where they
  /// are unknown. Guarantees rest on them: without them a certificate is an estimate.
  virtual std::optional<Range> return_range(std::uint32_t horizon, double gamma = 1) const = 0;

  /// Whether several threads may play at once. If not, policies are played one after the other on the thread that
  /// called the library.
  virtual bool parallel() const = 0;

  /// The task itself, for what cannot be learnt by playing: bounds on rewards, finite processes. Null where there is
  /// only a player.
  virtual const Env* env() const { return nullptr; }
};

/// Plays a task of the library: thin over `rollout`, and throws what it throws. The task must outlive this.
class EnvPlayer : public Player {
 public:
  explicit EnvPlayer(const Env& env) : env_(env) {}

  const Task& task() const override { return env_.task(); }
  std::vector<Outcome> play(const Policy& policy, const Episodes& episodes,
                            const Progress& progress = {}) const override;
  Rollouts roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress = {}) const override;
  std::optional<Range> return_range(std::uint32_t horizon, double gamma = 1) const override;
  bool parallel() const override { return true; }
  const Env* env() const override { return &env_; }

 private:
  const Env& env_;
};

/// The 31-bit number that an environment outside the library is reset with for an episode (0 to 2^20 - 1) of a seed.
///
/// Seeds below 2048 are what people type: 2^20 seed + episode, so that seed 0 plays environments 0, 1, 2, ... Larger
/// ones are what a search derives: (a episode + b) mod 2^31, a odd, a and b drawn by Philox from the seed. Episodes of
/// one seed never share a number, those of two seeds only by chance.
std::uint32_t reset_seed(std::uint64_t seed, std::uint64_t episode);

}  // namespace mercer

#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/names.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// What all learners share. The defaults are those of the published experiments.
struct LearnOptions {
  std::vector<std::size_t> hidden{256, 256};  ///< widths of the hidden layers: up to 8, each 1 to 4096
  double learning_rate = 1e-3;                ///< of Adam, for every network; 1e-8 to 1
  std::size_t decay_updates = 0;              ///< over which it falls on a line to a hundredth, to 10^9; 0: it stays
  std::size_t batch_size = 256;               ///< steps in a minibatch, 2 to 65536
  double gamma = 0.99;                        ///< discount, 0 to 1
  std::size_t buffer = 1'000'000;             ///< steps remembered for replay, 1 to 10^8; the oldest make room
  std::size_t warmup = 500;                   ///< steps played before the first update, 1 to 10^9
  std::size_t train_every = 1;                ///< steps between updates, 1 to 10^6
  bool scale_observations = false;  ///< bring those with finite bounds to [-1, 1] before the networks see them
  std::size_t updates = 1;          ///< updates then, 1 to 1000
};

/// Soft actor-critic with twin critics, target networks and a tuned temperature.
struct SacOptions : LearnOptions {
  double tau = 0.005;                    ///< how far the target networks move at each update, 0 (exclusive) to 1
  double initial_alpha = 1;              ///< temperature at the start, 1e-8 to 1000
  std::optional<double> target_entropy;  ///< -1000 to 1000; by default minus the number of action dimensions
  bool tune_alpha = true;                ///< false keeps the initial temperature
  /// Correlation of the exploration noise from one step to the next, 0 to 0.9999: eps' = c eps + sqrt(1 - c^2) N(0, 1).
  /// The noise of each single step keeps its distribution; tasks whose goal lies behind many equal actions need it.
  double noise_correlation = 0;
};

/// Deep Q-learning with a target network.
struct DqnOptions : LearnOptions {
  bool double_q = true;              ///< the online network chooses, the target network values
  double epsilon_start = 1;          ///< share of random actions at the start, 0 to 1
  double epsilon_end = 0.05;         ///< and from `epsilon_steps` on, falling on a line between; 0 to 1
  std::size_t epsilon_steps = 5000;  ///< 1 to 10^9
  /// Steps for which a choice between the network and one random action is kept, on average; 1 to 1000. The share of
  /// random actions stays the same. Tasks whose goal lies behind many equal actions need more than one.
  double epsilon_run = 1;
  std::size_t target_every = 500;  ///< updates between copies to the target network, 1 to 10^9
  double max_gradient_norm = 10;   ///< longer gradients are shortened to it, 1e-6 to 10^6
};

/// Augmented random search for a linear policy on normalised observations, actions clipped to the task's box.
///
/// An iteration draws directions, plays an episode with the weights moved by +noise and one by -noise along each from
/// the same start, and moves the weights by step_size / (b s) * sum (r+ - r-) direction over the b best directions,
/// where s is the standard deviation of their returns.
struct ArsOptions {
  std::size_t directions = 16;  ///< an iteration, 1 to 10^4
  std::size_t best = 8;         ///< of them that count, by the larger of their two returns; 1 to `directions`
  double step_size = 0.02;      ///< 1e-6 to 10
  double noise = 0.03;          ///< 1e-6 to 10
};

using AlgorithmOptions = std::variant<SacOptions, DqnOptions, ArsOptions>;

/// What SAC and DQN share; null for others.
const LearnOptions* learn_options(const AlgorithmOptions& options);

/// Throws `out_of_range` naming the first option outside its range.
void check_options(const AlgorithmOptions& options);

enum class Algorithm { sac, dqn, ars };  ///< in the order of `AlgorithmOptions`
template <>
struct Names<Algorithm> {
  static constexpr std::string_view kind = "algorithm";
  static constexpr Spelling<Algorithm> table[] = {
      {Algorithm::sac, "sac"}, {Algorithm::dqn, "dqn"}, {Algorithm::ars, "ars"}};
};
inline Algorithm algorithm_of(const AlgorithmOptions& options) { return static_cast<Algorithm>(options.index()); }

/// Settings that are known to work for a task.
struct Recipe {
  std::string name;  ///< the task it was made for, or "published" for the defaults
  std::string why;   ///< what is different from the defaults, and why; empty for the defaults
  std::uint64_t steps = 10'000;
  AlgorithmOptions options;
};

/// The algorithm to take for a task when none is asked for: DQN for discrete actions, else SAC; ARS where
/// its recipe is the better one (swimmer, quadrotor).
Algorithm usual_algorithm(const Task& task);

/// The recipe of a built-in task (by `Task::name`) where the published defaults do not learn it, else the defaults.
Recipe recipe_for(Algorithm algorithm, std::string_view task);

/// What to train, for how long, and where to keep it.
struct TrainOptions {
  std::string env;               ///< how the task was asked for; written into every file
  std::uint64_t seed = 0;        ///< any
  std::uint64_t steps = 10'000;  ///< steps to play, 1 to 10^9; ARS ends with the iteration that reaches them
  std::vector<std::uint64_t>
      snapshots;  ///< steps after which to keep the weights, 1 to `steps`; the last always is one
  AlgorithmOptions algorithm;
  std::filesystem::path folder;    ///< made if it is not there
  bool force = false;              ///< throw away a run with other settings that the folder holds
  double checkpoint_seconds = 10;  ///< between two checkpoints, 0 to 10^6; changes no result
};

struct Snapshot {
  std::uint64_t step = 0;
  std::filesystem::path file;
};

struct TrainResult {
  std::uint64_t steps = 0;         ///< of the run, earlier calls included
  std::uint64_t resumed_from = 0;  ///< the step this call began with
  double seconds = 0;              ///< of this call
  double cpu_seconds = 0;          ///< processor time of all threads, earlier calls included
  std::vector<Snapshot> snapshots;
  std::filesystem::path policy;  ///< what acts after the last step, without critics and optimiser
};

/// Trains a policy and keeps snapshots in `options.folder`, each a policy that `make_policy` loads.
///
/// The result depends on task, seed and algorithm options alone: not on threads, nor on when the work was stopped,
/// killed or continued. A checkpoint in the folder holds all of the run's state; the same call continues there to the
/// same bits, and a call with more steps trains on. Costs one update of the networks a step, by default.
///
/// Throws `bad_value` when the folder holds a run with other settings, `cannot_write` when another process is training
/// there, `out_of_range` for options outside their range, `not_finite` when the weights have grown beyond all bounds,
/// and `interrupted`, after writing a checkpoint, when a stop is requested.
TrainResult train(const Env& env, const TrainOptions& options, const Progress& progress = {});

}  // namespace mercer

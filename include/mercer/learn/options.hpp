#pragma once

#include <cstddef>
#include <optional>
#include <variant>
#include <vector>

namespace mercer {

/// What all learners share. The defaults are those of the published experiments.
struct LearnOptions {
  std::vector<std::size_t> hidden{256, 256};  ///< widths of the hidden layers: up to 8, each 1 to 4096
  double learning_rate = 1e-3;                ///< of Adam, for every network; 1e-8 to 1
  std::size_t batch_size = 256;               ///< steps in a minibatch, 2 to 65536
  double gamma = 0.99;                        ///< discount, 0 to 1
  std::size_t buffer = 1'000'000;             ///< steps remembered for replay, 1 to 10^8; the oldest make room
  std::size_t warmup = 500;                   ///< steps played before the first update, 1 to 10^9
  std::size_t train_every = 1;                ///< steps between updates, 1 to 10^6
  std::size_t updates = 1;                    ///< updates then, 1 to 1000
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

using AlgorithmOptions = std::variant<SacOptions, DqnOptions>;

/// Throws `out_of_range` naming the first option outside its range.
void check_options(const AlgorithmOptions& options);

}  // namespace mercer

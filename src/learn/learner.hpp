#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "learn/replay.hpp"
#include "learn/run_folder.hpp"
#include "mercer/env.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// An algorithm as the training loop sees it. Everything random is keyed by step or update number, so that what
/// `exchange` writes is all there is to remember.
class Learner {
 public:
  virtual ~Learner() = default;

  /// Chooses the action of step `step` (from 0) while training: on a box each number is in [-1, 1], among discrete
  /// actions it is the action's number. `first` at the start of an episode.
  virtual void explore(std::span<const float> observation, std::uint64_t step, bool first, std::span<float> action) = 0;
  /// Draws a minibatch and learns from it.
  virtual void update(const Replay& replay) = 0;
  /// Everything learned, and the optimiser's state.
  virtual void exchange(Archive& archive) = 0;
};

/// Throws `bad_value` when the task's actions are not of the kind that the algorithm needs.
std::unique_ptr<Learner> make_learner(const AlgorithmOptions& options, const Task& task, std::uint64_t seed);

std::unique_ptr<Learner> make_sac(const SacOptions& options, const Task& task, std::uint64_t seed);
std::unique_ptr<Learner> make_dqn(const DqnOptions& options, const Task& task, std::uint64_t seed);

}  // namespace mercer::learn

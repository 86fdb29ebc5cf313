#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learn/run_folder.hpp"
#include "mercer/env.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// The last `capacity` steps. A step is one record, so that drawing it touches one place in memory:
/// observation, action, next observation, reward, and 0 where the task ended or 1 where it goes on.
class Replay {
 public:
  /// `expected` steps are made room for at once.
  Replay(std::size_t observations, std::size_t actions, std::size_t capacity, std::size_t expected);

  void add(std::span<const float> observation, std::span<const float> action, std::span<const float> next, float reward,
           bool terminated);

  std::size_t size() const { return numbers_.size() / width_; }
  std::size_t cursor() const { return cursor_; }  ///< where the next step goes
  std::size_t width() const { return width_; }
  const float* record(std::size_t index) const { return numbers_.data() + index * width_; }

  /// Steps of minibatch number `update`, drawn uniformly with replacement.
  void draw(std::uint64_t seed, std::uint64_t update, std::span<std::size_t> indices) const;

  std::span<const float> numbers() const { return numbers_; }
  void restore(std::span<const float> numbers, std::size_t cursor);

 private:
  std::size_t width_;
  std::size_t capacity_;
  std::size_t cursor_ = 0;
  std::vector<float> numbers_;
};

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
  /// Of that the network that acts.
  virtual void exchange_actor(Archive& archive) = 0;
};

/// These throw `bad_value` when the task's actions are not of the kind that the algorithm needs.
std::unique_ptr<Learner> make_sac(const SacOptions& options, const Task& task, std::uint64_t seed);
std::unique_ptr<Learner> make_dqn(const DqnOptions& options, const Task& task, std::uint64_t seed);

/// Throws `bad_value` unless the actions are a box with finite bounds.
void require_bounded_actions(const Task& task, std::string_view algorithm);

}  // namespace mercer::learn

#pragma once

#include <array>
#include <vector>

#include "mercer/env.hpp"

namespace mercer {

/// One episode, stepped by hand as a batch of one column.
class SingleEpisode {
 public:
  /// From a start drawn with the keys of that episode.
  SingleEpisode(const Env& env, std::uint64_t seed, std::uint64_t episode)
      : env_(env), seed_(seed), item_{episode}, rows_(env.rows()) {
    env_.reset({seed_, Stage::start, 0, item_}, column(rows_));
    look();
  }
  /// From a given state.
  SingleEpisode(const Env& env, const std::vector<double>& state) : env_(env), rows_(env.carried()) {
    rows_.insert(rows_.end(), state.begin(), state.end());
    env_.settle(column(rows_));
    look();
  }

  const std::vector<double>& state() const { return state_; }
  bool terminated() const { return terminated_[0] == StepEnd::task; }
  bool broken() const { return terminated_[0] == StepEnd::broken; }
  std::uint32_t steps() const { return steps_; }

  std::vector<double> observation() {
    std::vector<double> out(env_.task().observation.dimensions());
    env_.observe(column(rows_), column(out));
    return out;
  }

  /// Returns the reward.
  double step(std::vector<double> action) {
    std::array<double, 1> reward{-12345};  // a value that no task gives, so that a step that forgets it shows
    env_.step(column(rows_), column(action), {seed_, Stage::transition, steps_, item_}, reward, terminated_);
    ++steps_;
    look();
    return reward[0];
  }

 private:
  void look() { state_.assign(rows_.begin() + static_cast<std::ptrdiff_t>(env_.carried()), rows_.end()); }
  static MatrixView<double> column(std::vector<double>& numbers) { return {numbers.data(), numbers.size(), 1}; }

  const Env& env_;
  std::uint64_t seed_ = 0;
  std::array<std::uint64_t, 1> item_{};
  std::array<std::uint8_t, 1> terminated_{};
  std::vector<double> rows_;  // what the task carries, then the state
  std::vector<double> state_;
  std::uint32_t steps_ = 0;
};

}  // namespace mercer

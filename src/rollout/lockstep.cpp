#include "rollout/lockstep.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/matrix_view.hpp"
#include "rollout/motion.hpp"

namespace mercer {

/// Memory for that many numbers that is not touched before it is written: an episode that ends early costs only the
/// pages it used.
using Untouched = std::unique_ptr<double[]>;
inline Untouched untouched(std::size_t width, std::size_t episodes, std::size_t horizon) {
  try {
    return Untouched(new double[std::max<std::size_t>(1, width * episodes * horizon)]);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::too_large,
                fmt::format("there is no memory for the steps of {} episodes of up to {} steps", episodes, horizon),
                "Ask for a shorter horizon, a smaller batch, or returns only");
  }
}

/// Steps of one kind. They are written where they would stand if every episode had `horizon` steps; `compact` then
/// closes the gaps.
class StepRecord {
 public:
  StepRecord(std::size_t width, std::size_t episodes, std::size_t horizon)
      : width_(width), horizon_(horizon), rows_(untouched(width, episodes, horizon)) {}

  /// Column i of `batch` is step `step` of episode episode[i].
  void write(MatrixView<const double> batch, std::span<const std::size_t> episode, std::size_t step) {
    for (std::size_t i = 0; i < batch.cols(); ++i) {
      double* const row = &rows_[(episode[i] * horizon_ + step) * width_];
      for (std::size_t d = 0; d < width_; ++d) row[d] = batch(d, i);
    }
  }

  /// The rows of all episodes without gaps; episode e has offsets[e+1] - offsets[e] steps.
  std::vector<double> compact(std::span<const std::int64_t> offsets) const {
    std::vector<double> out;
    out.reserve(width_ * static_cast<std::size_t>(offsets.back()));
    for (std::size_t e = 0; e + 1 < offsets.size(); ++e) {
      const double* const begin = &rows_[e * horizon_ * width_];
      out.insert(out.end(), begin, begin + width_ * static_cast<std::size_t>(offsets[e + 1] - offsets[e]));
    }
    return out;
  }

 private:
  std::size_t width_;
  std::size_t horizon_;
  Untouched rows_;
};

namespace {

[[noreturn]] void bad_action(const Policy& policy, double value, std::uint64_t episode, std::size_t step,
                             const Space& space) {
  const std::string where =
      fmt::format("policy '{}' chose action {} in episode {}, step {}", policy.name(), value, episode, step);
  if (!std::isfinite(value)) {
    throw Error(ErrorCode::not_finite, where, "Check the policy's weights and what it does with these observations");
  }
  throw Error(ErrorCode::out_of_range, fmt::format("{}; legal: integers 0 to {}", where, space.count - 1),
              "Correct the policy");
}

// All columns that are still playing, and what is remembered of each.
class Lockstep {
 public:
  Lockstep(const Env& env, const Policy& policy, const RolloutOptions& options, std::size_t first, std::size_t count)
      : env_(env),
        policy_(policy),
        options_(options),
        horizon_(*options.horizon),
        count_(count),
        active_(count),
        rows_(env.rows()),
        states_(env.task().state.dimensions()),
        observations_(env.task().observation.dimensions()),
        actions_(env.task().action.dimensions()),
        items_(count),
        episode_(count),
        numbers_((rows_ + observations_ + actions_ + 3) * count),
        terminated_(count) {
    for (std::size_t i = 0; i < count; ++i) {
      items_[i] = first + i;
      episode_[i] = i;
    }
    double* memory = numbers_.data();
    const auto take = [&](std::size_t rows) {
      MatrixView<double> view(memory, rows, count);
      memory += rows * count;
      return view;
    };
    columns_ = take(rows_);
    state_ = env.states_of(columns_);
    observation_ = take(observations_);
    action_ = take(actions_);
    reward_ = take(1);
    total_ = take(2);
    if (options.motion) motion_.emplace(env.task(), count);
    if (options.compared != nullptr) compared_.emplace(*this);
  }

  Rollouts play(const Progress& progress) {
    Rollouts out;
    start(out);
    const std::size_t kept = options_.keep_steps ? count_ : 0;
    StepRecord states(states_, kept, horizon_);
    StepRecord observations(observations_, kept, horizon_);
    StepRecord actions(actions_, kept, horizon_);
    StepRecord rewards(1, kept, horizon_);
    std::vector<std::int64_t> lengths(count_);
    double discount = 1;
    for (std::size_t t = 0; t < horizon_ && active_ > 0; ++t) {
      if (t % 64 == 0) progress.check();
      const auto episode = std::span(episode_).first(active_);
      const auto reward = reward_.row(0).first(active_);
      const auto terminated = std::span(terminated_).first(active_);
      env_.observe(now(columns_), now(observation_));
      choose(t);
      if (motion_) motion_->add(now(action_));
      if (compared_) compared_->add(*this);
      if (options_.keep_steps) {
        states.write(now(state_), episode, t);
        observations.write(now(observation_), episode, t);
        actions.write(now(action_), episode, t);
      }
      env_.step(now(columns_), now(action_), draws(Stage::transition, t), reward, terminated);
      if (options_.keep_steps) rewards.write(now(reward_), episode, t);
      for (std::size_t i = 0; i < active_; ++i) total_(0, i) += reward[i];
      for (std::size_t i = 0; i < active_; ++i) total_(1, i) += discount * reward[i];
      discount *= *options_.gamma;
      const bool last = t + 1 == horizon_;
      std::uint8_t any = StepEnd::none;
      for (const std::uint8_t one : terminated) any |= one;
      if (last || any != StepEnd::none) finish(out, lengths, t + 1, last);
    }
    for (const std::int64_t length : lengths) out.offsets.push_back(out.offsets.back() + length);
    if (options_.keep_steps) {
      out.states = states.compact(out.offsets);
      out.observations = observations.compact(out.offsets);
      out.actions = actions.compact(out.offsets);
      out.rewards = rewards.compact(out.offsets);
    }
    return out;
  }

 private:
  MatrixView<double> now(MatrixView<double> all) const { return all.columns(0, active_); }

  Draws draws(Stage stage, std::size_t step) const {
    return {options_.seed, stage, static_cast<std::uint32_t>(step), std::span(items_).first(active_)};
  }

  void start(Rollouts& out) {
    const std::size_t given = options_.start_states.size() / states_;
    if (given == 0) {
      env_.reset(draws(Stage::start, 0), columns_);
    } else {
      for (std::size_t i = 0; i < count_; ++i) {
        for (std::size_t d = 0; d < states_; ++d) state_(d, i) = options_.start_states[items_[i] % given * states_ + d];
      }
      env_.settle(columns_);
    }
    out.start_states.resize(states_ * count_);
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t d = 0; d < states_; ++d) out.start_states[i * states_ + d] = state_(d, i);
    }
    std::ranges::fill(total_.row(0), 0.0);
    std::ranges::fill(total_.row(1), 0.0);
    out.final_observations.resize(observations_ * count_);
    out.returns.resize(count_);
    out.discounted_returns.resize(count_);
    out.terminated.resize(count_);
    if (motion_) out.motions.resize(count_);
    if (compared_) out.distances.resize(count_);
  }

  // Asks the policy, refuses what is no action, and clips to the action space what is outside it.
  void choose(std::size_t step) {
    if (options_.act == Act::mean) {
      policy_.mean_action(now(observation_), now(action_));
    } else {
      policy_.sample(now(observation_), draws(Stage::action, step), now(action_));
    }
    const Space& space = env_.task().action;
    for (std::size_t d = 0; d < actions_; ++d) {
      const auto [low, high] = space.axes[d].range;
      const auto row = action_.row(d).first(active_);
      bool legal = true;
      if (space.is_discrete()) {
        for (const double value : row) legal &= value >= low && value <= high && value == std::floor(value);
      } else {
        for (const double value : row) legal &= std::abs(value) <= std::numeric_limits<double>::max();
      }
      if (!legal) report_illegal(row, step, space);
      for (double& value : row) value = std::min(std::max(value, low), high);
    }
  }

  void report_illegal(std::span<const double> row, std::size_t step, const Space& space) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool index = row[i] >= 0 && row[i] < static_cast<double>(space.count) && row[i] == std::floor(row[i]);
      if (space.is_discrete() ? !index : !std::isfinite(row[i])) bad_action(policy_, row[i], items_[i], step, space);
    }
  }

  // Writes down the episodes that ended and moves the last columns into their places. Going backwards, a column that is
  // moved has been looked at already; its observation is made anew at the next step.
  void finish(Rollouts& out, std::vector<std::int64_t>& lengths, std::size_t steps, bool all) {
    env_.observe(now(columns_), now(observation_));
    for (std::size_t i = active_; i-- > 0;) {
      if (!all && terminated_[i] == StepEnd::none) continue;
      const std::size_t e = episode_[i];
      if (!std::isfinite(total_(0, i))) {
        throw Error(ErrorCode::not_finite, fmt::format("the return of episode {} is {}", items_[i], total_(0, i)),
                    "Check the rewards and the start states: they are too large to add up, or not numbers");
      }
      lengths[e] = static_cast<std::int64_t>(steps);
      out.returns[e] = total_(0, i);
      out.discounted_returns[e] = total_(1, i);
      out.terminated[e] = terminated_[i];
      if (motion_) out.motions[e] = motion_->of(i, steps);
      if (compared_) out.distances[e] = compared_->meter.of(i, steps);
      for (std::size_t d = 0; d < observations_; ++d)
        out.final_observations[e * observations_ + d] = observation_(d, i);
      const std::size_t last = --active_;
      if (last == i) continue;
      for (std::size_t d = 0; d < rows_; ++d) columns_(d, i) = columns_(d, last);
      for (std::size_t d = 0; d < 2; ++d) total_(d, i) = total_(d, last);
      if (motion_) motion_->move(last, i);
      if (compared_) compared_->meter.move(last, i);
      items_[i] = items_[last];
      episode_[i] = episode_[last];
    }
  }

  // What the other policy would do in the same states. Both are asked for their mean.
  struct Compared {
    explicit Compared(const Lockstep& of)
        : meter(of.env_.task().action, of.count_), memory(2 * of.actions_ * of.count_) {}

    void add(const Lockstep& of) {
      const MatrixView<double> own(memory.data(), of.actions_, of.count_),
          other(memory.data() + of.actions_ * of.count_, of.actions_, of.count_);
      const bool mean = of.options_.act == Act::mean;
      if (!mean) of.policy_.mean_action(of.now(of.observation_), of.now(own));
      of.options_.compared->mean_action(of.now(of.observation_), of.now(other));
      meter.add(of.now(mean ? of.action_ : own), of.now(other));
    }

    DistanceMeter meter;
    std::vector<double> memory;
  };

  const Env& env_;
  const Policy& policy_;
  const RolloutOptions& options_;
  std::size_t horizon_;
  std::size_t count_;
  std::size_t active_;
  std::size_t rows_, states_, observations_, actions_;
  std::vector<std::uint64_t> items_;  // the number of each column's episode in the whole rollout
  std::vector<std::size_t> episode_;  // and in this group
  std::vector<double> numbers_;       // what the views below look at
  std::vector<std::uint8_t> terminated_;
  MatrixView<double> columns_;  // of which the state is a part
  MatrixView<double> state_, observation_, action_, reward_;
  MatrixView<double> total_;  // return and discounted return so far
  std::optional<MotionMeter> motion_;
  std::optional<Compared> compared_;
};

}  // namespace

Rollouts play_lockstep(const Env& env, const Policy& policy, const RolloutOptions& options, std::size_t first,
                       std::size_t count, const Progress& progress) {
  return Lockstep(env, policy, options, first, count).play(progress);
}

}  // namespace mercer

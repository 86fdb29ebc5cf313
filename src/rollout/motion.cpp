#include "rollout/motion.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"

namespace mercer {
namespace {

// On the scale of [-1, 1], which is two wide.
constexpr double saturated = 0.98;
constexpr double least_move = 0.02;

enum Sum : std::size_t { changes, saturations, squares, turns, sums };

}  // namespace

std::vector<ScaledAxis> scaled_axes(const Space& action) {
  std::vector<ScaledAxis> out;
  if (action.is_discrete()) return out;
  for (std::size_t d = 0; d < action.dimensions(); ++d) {
    const Range range = action.axes[d].range;
    const double half = range.width() / 2;
    if (std::isfinite(half) && half > 0) out.push_back({d, range.low + half, 1 / half});
  }
  return out;
}

MotionMeter::MotionMeter(const Task& task, std::size_t columns)
    : discrete_(task.action.is_discrete()),
      dt_(task.dt > 0 ? task.dt : 1),
      axes_(scaled_axes(task.action)),
      columns_(columns) {
  const std::size_t remembered = discrete_ ? 1 : axes_.size();
  numbers_.resize((sums + 2 * remembered) * columns);
  sums_ = {numbers_.data(), sums, columns};
  last_ = {numbers_.data() + sums * columns, remembered, columns};
  direction_ = {numbers_.data() + (sums + remembered) * columns, remembered, columns};
}

void MotionMeter::reset() {
  std::ranges::fill(numbers_, 0.0);
  first_ = true;
}

void MotionMeter::add(MatrixView<const double> action) {
  if (discrete_) add_discrete(action.row(0));
  for (std::size_t i = 0; i < axes_.size(); ++i) add_axis(i, action.row(axes_[i].dimension));
  first_ = false;
}

void MotionMeter::add_axis(std::size_t axis, std::span<const double> action) {
  const auto [dimension, middle, per_half] = axes_[axis];
  const double moves = first_ ? 0 : 1;  // the first action has none before it
  double* __restrict last = last_.row(axis).data();
  double* __restrict direction = direction_.row(axis).data();
  double* __restrict change = sums_.row(changes).data();
  double* __restrict near_bound = sums_.row(saturations).data();
  double* __restrict square = sums_.row(squares).data();
  double* __restrict turned = sums_.row(turns).data();
  const double* __restrict played = action.data();
  for (std::size_t i = 0; i < action.size(); ++i) {
    const double now = (played[i] - middle) * per_half;
    const double move = (now - last[i]) * moves;
    const double size = std::abs(move);
    change[i] += size;
    near_bound[i] += std::abs(now) >= saturated ? 1 : 0;
    square[i] += now * now;
    const double sign = size > least_move ? (move > 0 ? 1.0 : -1.0) : 0.0;
    turned[i] += sign * direction[i] < 0 ? 1 : 0;
    direction[i] = sign != 0 ? sign : direction[i];
    last[i] = now;
  }
}

void MotionMeter::add_discrete(std::span<const double> action) {
  const auto last = last_.row(0);
  const auto change = sums_.row(changes);
  for (std::size_t i = 0; i < action.size(); ++i) {
    change[i] += !first_ && action[i] != last[i] ? 1 : 0;
    last[i] = action[i];
  }
}

void MotionMeter::move(std::size_t from, std::size_t to) {
  for (double* row = numbers_.data(); row < numbers_.data() + numbers_.size(); row += columns_) row[to] = row[from];
}

Motion MotionMeter::of(std::size_t column, std::size_t steps) const {
  const auto all = static_cast<double>(steps), changing = static_cast<double>(std::max<std::size_t>(steps, 2) - 1);
  if (discrete_) return {sums_(changes, column) / changing, 0, 0, sums_(changes, column) / (all * dt_)};
  if (axes_.empty()) return {};
  const auto m = static_cast<double>(axes_.size());
  return {sums_(changes, column) / (2 * m * changing), sums_(saturations, column) / (m * all),
          sums_(squares, column) / (m * all), sums_(turns, column) / (m * all * dt_)};
}

DistanceMeter::DistanceMeter(const Space& action, std::size_t columns)
    : discrete_(action.is_discrete()), axes_(scaled_axes(action)), sums_(columns) {}

void DistanceMeter::add(MatrixView<const double> one, MatrixView<const double> other) {
  if (discrete_) {
    for (std::size_t i = 0; i < one.cols(); ++i) sums_[i] += one(0, i) != other(0, i) ? 1 : 0;
    return;
  }
  for (const auto& [dimension, middle, per_half] : axes_) {
    const auto first = one.row(dimension), second = other.row(dimension);
    // Policies may answer outside the action space; what is played there is its bound.
    const auto scaled = [middle = middle, per_half = per_half](double action) {
      return std::min(std::max((action - middle) * per_half, -1.0), 1.0);
    };
    const double share = 1 / (2 * static_cast<double>(axes_.size()));
    for (std::size_t i = 0; i < one.cols(); ++i) sums_[i] += share * std::abs(scaled(first[i]) - scaled(second[i]));
  }
}

Behaviour behaviour_of(std::span<const Outcome> outcomes, const Task& task) {
  Behaviour sum;
  for (const Outcome& one : outcomes) {
    sum.motion.roughness += one.motion.roughness;
    sum.motion.saturation += one.motion.saturation;
    sum.motion.effort += one.motion.effort;
    sum.motion.reversals += one.motion.reversals;
    sum.failures += failed(task, one).value_or(false) ? 1 : 0;
    sum.distance += one.distance;
  }
  const auto count = static_cast<double>(std::max<std::size_t>(outcomes.size(), 1));
  return {{sum.motion.roughness / count, sum.motion.saturation / count, sum.motion.effort / count,
           sum.motion.reversals / count},
          sum.failures / count,
          sum.distance / count};
}

namespace {

void require_steps(const Rollouts& rollouts) {
  if (rollouts.has_steps()) return;
  throw Error(ErrorCode::missing_option, "the rollouts hold no steps, and what is measured needs them",
              "Keep the steps");
}

// Rows of actions or observations, as a column each.
std::vector<double> columns_of(std::span<const double> rows, std::size_t width) {
  std::vector<double> out(rows.size());
  const std::size_t count = rows.size() / width;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < width; ++d) out[d * count + i] = rows[i * width + d];
  }
  return out;
}

template <class Visit>
void for_each_episode(const Rollouts& rollouts, Visit visit) {
  for (std::size_t e = 0; e < rollouts.episodes(); ++e) {
    visit(static_cast<std::size_t>(rollouts.offsets[e]), static_cast<std::size_t>(rollouts.offsets[e + 1]));
  }
}

}  // namespace

std::vector<Motion> motions_of(const Rollouts& rollouts, const Task& task) {
  require_steps(rollouts);
  const std::size_t width = task.action.dimensions();
  MotionMeter meter(task, 1);
  std::vector<double> played(width);
  std::vector<Motion> out;
  for_each_episode(rollouts, [&](std::size_t begin, std::size_t end) {
    meter.reset();
    for (std::size_t t = begin; t < end; ++t) {
      for (std::size_t d = 0; d < width; ++d) {
        const auto [low, high] = task.action.axes[d].range;
        played[d] = std::min(std::max(rollouts.actions[t * width + d], low), high);
      }
      meter.add({played.data(), width, 1});
    }
    out.push_back(meter.of(0, end - begin));
  });
  return out;
}

std::vector<double> distances_of(const Rollouts& rollouts, const Policy& one, const Policy& other) {
  require_steps(rollouts);
  const Space& action = one.action_space();
  const std::size_t steps = rollouts.steps(), actions = action.dimensions(),
                    observations = rollouts.observation_names.size();
  const std::vector<double> seen = columns_of(rollouts.observations, observations);
  std::vector<double> first(actions * steps), second(first.size());
  const MatrixView<const double> states(seen.data(), observations, steps);
  const MatrixView<double> by_one(first.data(), actions, steps), by_other(second.data(), actions, steps);
  if (steps > 0) {
    one.mean_action(states, by_one);
    other.mean_action(states, by_other);
  }
  std::vector<double> out;
  for_each_episode(rollouts, [&](std::size_t begin, std::size_t end) {
    DistanceMeter meter(action, 1);
    for (std::size_t t = begin; t < end; ++t) meter.add(by_one.columns(t, 1), by_other.columns(t, 1));
    out.push_back(meter.of(0, std::max<std::size_t>(1, end - begin)));
  });
  return out;
}

}  // namespace mercer

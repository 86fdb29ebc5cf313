#include "mercer/view/visited.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {
namespace {

bool bounded(const Range& range) { return std::isfinite(range.low) && std::isfinite(range.high); }

bool is_angle(const Axis& axis) { return axis.unit == "rad" && !bounded(axis.range); }

double wrapped(double angle) {
  constexpr double turn = 2 * std::numbers::pi;
  return angle - turn * std::floor((angle + std::numbers::pi) / turn);
}

// What is shown of an axis of which `values` were seen, not empty.
Range window_of(const Axis& axis, std::span<const double> values) {
  if (is_angle(axis)) return {-std::numbers::pi, std::numbers::pi};
  Range range = axis.range;
  if (!bounded(range)) {
    const auto [low, high] = std::ranges::minmax(values);
    const double margin = high > low ? 0.05 * (high - low) : 1;
    range = {low - margin, high + margin};
  }
  if (!(range.high > range.low)) range = {range.low - 1, range.low + 1};
  return range;
}

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::nth_element(sorted, middle);
  return *middle;
}

}  // namespace

Visited visited_states(const Env& env, const Policy& policy, const RolloutOptions& options, std::size_t most,
                       const Progress& progress) {
  RolloutOptions playing = options;
  playing.keep_steps = true;
  const Rollouts played = rollout(env, policy, playing, progress);
  const Task& task = env.task();
  const std::size_t axes = task.state.dimensions(), seen = task.observation.dimensions();
  Visited visited;
  visited.axes = task.state.axes;
  visited.discrete = task.state.is_discrete();
  visited.count = std::min(most, played.steps());
  visited.states.resize(axes * visited.count);
  visited.observations.resize(seen * visited.count);
  for (std::size_t i = 0; i < visited.count; ++i) {
    const std::size_t step = i * played.steps() / visited.count;
    for (std::size_t d = 0; d < axes; ++d) {
      const double value = played.states[step * axes + d];
      visited.states[d * visited.count + i] = is_angle(visited.axes[d]) ? wrapped(value) : value;
    }
    for (std::size_t d = 0; d < seen; ++d)
      visited.observations[d * visited.count + i] = played.observations[step * seen + d];
  }
  for (std::size_t d = 0; d < axes; ++d) {
    const auto values = std::span(visited.states).subspan(d * visited.count, visited.count);
    visited.window.push_back(window_of(visited.axes[d], values));
    visited.typical.push_back(median(values));
  }
  return visited;
}

Visited unvisited_axes(const Contract& contract) {
  Visited visited;
  visited.axes = contract.observation.axes;
  visited.discrete = contract.observation.is_discrete();
  for (const Axis& axis : visited.axes) {
    const double nothing[] = {0};
    visited.window.push_back(window_of(axis, nothing));
    visited.typical.push_back((visited.window.back().low + visited.window.back().high) / 2);
  }
  return visited;
}

}  // namespace mercer

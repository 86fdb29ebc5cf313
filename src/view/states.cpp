#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "view/squares.hpp"
#include "view/view.hpp"

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

// Angles are averaged as directions.
double mean_of(std::span<const double> values, bool angle) {
  const auto count = static_cast<double>(values.size());
  if (!angle) return std::accumulate(values.begin(), values.end(), 0.0) / count;
  double across = 0, up = 0;
  for (const double value : values) across += std::cos(value), up += std::sin(value);
  return std::atan2(up, across);
}

}  // namespace

Range near_range(std::span<const double> values, const Range& within) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t cut = sorted.size() / 100;
  const double low = sorted[cut], high = sorted[sorted.size() - 1 - cut], margin = 0.05 * (high - low);
  const Range range{std::max(within.low, low - margin), std::min(within.high, high + margin)};
  return range.high > range.low ? range : within;
}

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
    visited.near.push_back(near_range(values, visited.window.back()));
    visited.angle.push_back(is_angle(visited.axes[d]));
    visited.typical.push_back(mean_of(values, visited.angle.back()));
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
    visited.near.push_back(visited.window.back());
    visited.angle.push_back(is_angle(axis));
    visited.typical.push_back((visited.window.back().low + visited.window.back().high) / 2);
  }
  return visited;
}

namespace {

void check(const Visited& visited, const SliceOptions& options) {
  const std::size_t axes = visited.axes.size();
  if (options.x >= axes || options.y >= axes) {
    throw Error(ErrorCode::out_of_range, fmt::format("axes {} and {}; legal: 0 to {}", options.x, options.y, axes - 1),
                "Take two axes that there are");
  }
  require_in_range("n", static_cast<double>(options.n), 2, 256, "Take fewer or more states along each axis");
  if (options.fixed.empty()) return;
  if (options.fixed.size() != axes) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} fixed values for {} axes", options.fixed.size(), axes),
                "Give one for each axis");
  }
  for (const double value : options.fixed) {
    if (!std::isfinite(value)) {
      throw Error(ErrorCode::not_finite, "a fixed value is not finite", "Give a number for each axis");
    }
  }
}

// One pass of binomial weights along rows or columns; what lies outside counts as nothing.
void blur(std::vector<double>& grid, std::size_t n, std::size_t stride, std::size_t across) {
  constexpr std::array weights{1.0 / 16, 4.0 / 16, 6.0 / 16, 4.0 / 16, 1.0 / 16};
  std::vector<double> line(n);
  for (std::size_t l = 0; l < n; ++l) {
    for (std::size_t i = 0; i < n; ++i) line[i] = grid[l * across + i * stride];
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t w = 0; w < weights.size(); ++w) {
        if (i + w >= 2 && i + w - 2 < n) sum += weights[w] * line[i + w - 2];
      }
      grid[l * across + i * stride] = sum;
    }
  }
}

}  // namespace

double middle(const Range& window, std::size_t n, std::size_t i) {
  return window.low + window.width() * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
}

std::vector<double> smooth_counts(std::span<const double> x, std::span<const double> y, const Range& across,
                                  const Range& up, std::size_t n) {
  const auto bin = [n](double value, const Range& range) -> std::ptrdiff_t {
    const double share = (value - range.low) / range.width();
    if (!(share >= 0 && share <= 1)) return -1;
    return std::min(static_cast<std::ptrdiff_t>(share * static_cast<double>(n)), static_cast<std::ptrdiff_t>(n) - 1);
  };
  std::vector<double> grid(n * n);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::ptrdiff_t column = bin(x[i], across), row = bin(y[i], up);
    if (column >= 0 && row >= 0) grid[static_cast<std::size_t>(row) * n + static_cast<std::size_t>(column)] += 1;
  }
  for (int pass = 0; pass < 2; ++pass) {
    blur(grid, n, 1, n);
    blur(grid, n, n, 1);
  }
  const double sum = std::accumulate(grid.begin(), grid.end(), 0.0);
  if (sum > 0) {
    for (double& share : grid) share /= sum;
  }
  return grid;
}

const Range& shown_range(const Visited& visited, std::size_t axis, const SliceOptions& options) {
  return options.zoom ? visited.near[axis] : visited.window[axis];
}

std::vector<double> slice_observations(const Env* env, const Visited& visited, const SliceOptions& options) {
  check(visited, options);
  const std::size_t n = options.n, count = n * n, axes = visited.axes.size();
  const std::vector<double>& fixed = options.fixed.empty() ? visited.typical : options.fixed;
  std::vector<double> states(axes * count);
  for (std::size_t d = 0; d < axes; ++d) {
    for (std::size_t i = 0; i < count; ++i) {
      double value = fixed[d];
      if (d == options.x) {
        value = middle(shown_range(visited, d, options), n, i % n);
      } else if (d == options.y) {
        value = middle(shown_range(visited, d, options), n, i / n);
      }
      states[d * count + i] = visited.discrete ? std::round(value) : value;
    }
  }
  if (env == nullptr) return states;
  const std::size_t seen = env->task().observation.dimensions();
  std::vector<double> columns(env->carried() * count), observations(seen * count);
  columns.insert(columns.end(), states.begin(), states.end());
  const MatrixView<double> all(columns.data(), env->rows(), count);
  env->settle(all);
  env->observe(all, {observations.data(), seen, count});
  return observations;
}

std::vector<double> slice_actions(const Policy& policy, MatrixView<const double> observations, std::size_t output) {
  const std::size_t actions = policy.action_space().dimensions(), count = observations.cols();
  if (output >= actions) {
    throw Error(ErrorCode::out_of_range, fmt::format("action {}; legal: 0 to {}", output, actions - 1),
                "Take an action dimension that the policy has");
  }
  std::vector<double> all(actions * count);
  const MatrixView<double> view(all.data(), actions, count);
  for_each_block(count, 512, [&](Block block) {
    const std::size_t size = block.end - block.begin;
    policy.mean_action(observations.columns(block.begin, size), view.columns(block.begin, size));
  });
  return {all.begin() + static_cast<std::ptrdiff_t>(output * count),
          all.begin() + static_cast<std::ptrdiff_t>((output + 1) * count)};
}

std::vector<double> slice_visits(const Visited& visited, const SliceOptions& options) {
  check(visited, options);
  if (visited.count == 0) return {};
  const auto states = visited.state_view();
  return smooth_counts(states.row(options.x), states.row(options.y), shown_range(visited, options.x, options),
                       shown_range(visited, options.y, options), options.n);
}

}  // namespace mercer

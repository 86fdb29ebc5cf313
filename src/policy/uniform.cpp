#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

double uniform_log_density(const Space& space) {
  if (space.is_discrete()) return -std::log(static_cast<double>(space.count));
  double log_volume = 0;
  for (const Axis& axis : space.axes) {
    if (!std::isfinite(axis.range.width())) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("action '{}' goes from {} to {}; the uniform policy needs finite bounds", axis.name,
                              axis.range.low, axis.range.high),
                  "Choose another policy or bound the action");
    }
    log_volume += std::log(axis.range.width());
  }
  return -log_volume;
}

}  // namespace

UniformPolicy::UniformPolicy(const Task& task)
    : Policy("uniform", contract_of(task)), log_density_(uniform_log_density(task.action)) {}

void UniformPolicy::sample(MatrixView<const double>, const Draws& draws, MatrixView<double> action) const {
  const Space& space = action_space();
  if (space.is_discrete()) {
    const auto index = action.row(0);
    const double count = static_cast<double>(space.count);
    draws.fill_uniform(index, 0, count);
    // count * u may round up to count itself
    for (double& value : index) value = std::min(std::floor(value), count - 1);
    return;
  }
  for (std::uint32_t d = 0; d < action.rows(); ++d) {
    draws.fill_uniform(action.row(d), space.axes[d].range.low, space.axes[d].range.high, d);
  }
}

void UniformPolicy::mean_action(MatrixView<const double>, MatrixView<double> action) const {
  for (std::size_t d = 0; d < action.rows(); ++d) {
    const Range range = action_space().axes[d].range;
    std::ranges::fill(action.row(d), action_space().is_discrete() ? 0 : (range.low + range.high) / 2);
  }
}

void UniformPolicy::log_prob(MatrixView<const double>, MatrixView<const double> action, std::span<double> out) const {
  std::ranges::fill(out, log_density_);
  for (std::size_t d = 0; d < action.rows(); ++d) {
    const Range range = action_space().axes[d].range;
    const auto row = action.row(d);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool possible = row[i] >= range.low && row[i] <= range.high &&
                            (!action_space().is_discrete() || row[i] == std::floor(row[i]));
      if (!possible) out[i] = -std::numeric_limits<double>::infinity();
    }
  }
}

bool UniformPolicy::cdf(MatrixView<const double>, std::size_t dimension, MatrixView<const double> values,
                        MatrixView<double> out) const {
  if (action_space().is_discrete()) return false;
  const Range range = action_space().axes[dimension].range;
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const std::span<const double> own = values_in(values, i);
    for (std::size_t j = 0; j < own.size(); ++j) {
      out(i, j) = std::clamp((own[j] - range.low) / range.width(), 0.0, 1.0);
    }
  }
  return true;
}

}  // namespace mercer

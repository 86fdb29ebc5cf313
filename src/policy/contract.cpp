#include "mercer/policy/contract.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

void check_size(const std::string& owner, std::string_view what, std::size_t given, std::size_t wanted) {
  if (given == wanted) return;
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("policy '{}': {} numbers for the {}; it needs {}", owner, given, what, wanted),
              "Give one for each dimension, or leave them out");
}

void check_finite(const std::string& owner, std::string_view what, const std::vector<double>& numbers) {
  for (const double number : numbers) {
    if (std::isfinite(number)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("policy '{}': {} is {}", owner, what, number),
                "Give finite numbers");
  }
}

}  // namespace

double Normalisation::apply(std::size_t dimension, double observation) const {
  const double scaled = (observation - mean[dimension]) / std::sqrt(variance[dimension] + epsilon);
  return std::min(std::max(scaled, -clip), clip);
}

Contract contract_of(const Task& task) {
  Contract contract{task.name, task.observation, task.action, task.dt};
  if (task.action.is_discrete()) return contract;
  contract.centre.assign(task.action.dimensions(), 0);
  contract.scale.assign(task.action.dimensions(), 1);
  for (const Axis& axis : task.action.axes) contract.clip.push_back(axis.range);
  return contract;
}

void check_contract(const Contract& contract, const std::string& owner) {
  const Normalisation& normal = contract.normalisation;
  if (!normal.empty() || !normal.variance.empty()) {
    check_size(owner, "observation mean", normal.mean.size(), contract.observation.dimensions());
    check_size(owner, "observation variance", normal.variance.size(), contract.observation.dimensions());
    check_finite(owner, "an observation mean", normal.mean);
    for (const double variance : normal.variance) {
      require_in_range(fmt::format("policy '{}': an observation variance", owner), variance, 0, 1e300,
                       "Give variances, not standard deviations");
      require_in_range(fmt::format("policy '{}': observation variance + epsilon", owner), variance + normal.epsilon,
                       1e-300, 1e300, "Give a variance or an epsilon above 0");
    }
    require_in_range(fmt::format("policy '{}': the observation epsilon", owner), normal.epsilon, 0, 1,
                     "Stable-Baselines3 uses 1e-8");
    require_in_range(fmt::format("policy '{}': the observation clip", owner), normal.clip, 1e-300, 1e300,
                     "Stable-Baselines3 uses 10");
  }
  const std::size_t actions = contract.action.is_discrete() ? 0 : contract.action.dimensions();
  check_size(owner, "action centre", contract.centre.size(), actions);
  check_size(owner, "action scale", contract.scale.size(), actions);
  check_finite(owner, "an action centre", contract.centre);
  check_finite(owner, "an action scale", contract.scale);
  for (const double scale : contract.scale) {
    require_in_range(fmt::format("policy '{}': the size of an action scale", owner), std::abs(scale), 1e-300, 1e300,
                     "Give a scale other than 0");
  }
  if (!contract.clip.empty()) check_size(owner, "action clip", contract.clip.size(), actions);
  for (const auto& [low, high] : contract.clip) {
    if (low <= high) continue;
    throw Error(ErrorCode::out_of_range,
                fmt::format("policy '{}': actions are to be clipped to {} .. {}", owner, low, high),
                "Give a lower end that is not above the upper one");
  }
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

double normal_between(double low, double high) {
  // Both in the same tail: the difference of the small ends, not of two numbers near one.
  if (low > 0) return normal_between(-high, -low);
  return 0.5 * (std::erfc(-high * std::numbers::sqrt2 / 2) - std::erfc(-low * std::numbers::sqrt2 / 2));
}

}  // namespace

DeterministicPolicy::DeterministicPolicy(std::string name, Contract contract, BatchFunction choose,
                                         std::optional<double> spread)
    : Policy(std::move(name), std::move(contract)), choose_(std::move(choose)), spread_(spread) {
  if (!spread_) return;
  require_in_range(fmt::format("policy '{}': the spread", this->name()), *spread_, 1e-9, 1,
                   "It is a fraction of half the action range");
  bool bounded = !this->contract().clip.empty();
  for (const Range& range : this->contract().clip) bounded = bounded && std::isfinite(range.width());
  if (bounded) return;
  throw Error(ErrorCode::bad_value, fmt::format("policy '{}': a spread needs actions with bounds", this->name()),
              "Leave the spread out, or choose a task whose actions are a bounded box");
}

void DeterministicPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  choose_(observation, action);
  if (action_space().is_discrete()) return;
  for (std::size_t d = 0; d < action.rows(); ++d) {
    for (double& value : action.row(d)) value = clip_action(contract(), d, to_action(contract(), d, value));
  }
}

void DeterministicPolicy::sample(MatrixView<const double> observation, const Draws& draws,
                                 MatrixView<double> action) const {
  mean_action(observation, action);
  if (!spread_) return;
  for (std::size_t i = 0; i < action.cols(); ++i) {
    Random random = draws.random(i);
    for (std::size_t d = 0; d < action.rows(); ++d) {
      const auto [low, high] = contract().clip[d];
      const double sigma = *spread_ * (high - low) / 2;
      if (!(sigma > 0) || std::isnan(action(d, i))) continue;
      // Drawn again until it is inside. The middle is inside and the box at least two spreads wide, so that almost half
      // of all draws are.
      double value = 0;
      do value = action(d, i) + sigma * random.normal();
      while (value < low || value > high);
      action(d, i) = value;
    }
  }
}

void DeterministicPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                                   std::span<double> out) const {
  log_prob_many(observation, action, {out.data(), out.size(), 1});
}

// One dimension of an action where the policy would take mu without its spread.
double DeterministicPolicy::log_density(std::size_t dimension, double action, double mu) const {
  if (action_space().is_discrete()) return action == mu ? 0 : -std::numeric_limits<double>::infinity();
  const auto [low, high] = contract().clip[dimension];
  if (action < low || action > high) return -std::numeric_limits<double>::infinity();
  const double sigma = *spread_ * (high - low) / 2;
  const double inside = normal_between((low - mu) / sigma, (high - mu) / sigma);
  const double deviation = (action - mu) / sigma;
  return -0.5 * deviation * deviation - 0.5 * std::log(2 * std::numbers::pi) - std::log(sigma) - std::log(inside);
}

void DeterministicPolicy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                                        MatrixView<double> out) const {
  if (!spread_ && !action_space().is_discrete()) {
    throw Error(ErrorCode::missing_option,
                fmt::format("policy '{}' always takes the same action in a state and has no density", name()),
                "Give it a spread: --spread 0.1, or spread = 0.1 in the .toml file beside it");
  }
  for_each_chunk(out.rows(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(action.rows(), count);
    const MatrixView<double> chosen = memory.view();
    mean_action(observation.columns(begin, count), chosen);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = first_action(action, out, begin + i);
      for (std::size_t j = 0; j < out.cols(); ++j) {
        double total = 0;
        for (std::size_t d = 0; d < action.rows(); ++d) total += log_density(d, action(d, first + j), chosen(d, i));
        out(begin + i, j) = total;
      }
    }
  });
}

bool DeterministicPolicy::cdf(MatrixView<const double> observation, std::size_t dimension,
                              MatrixView<const double> values, MatrixView<double> out) const {
  if (action_space().is_discrete()) return false;
  for_each_chunk(out.rows(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(action_space().dimensions(), count);
    const MatrixView<double> chosen = memory.view();
    mean_action(observation.columns(begin, count), chosen);
    for (std::size_t i = 0; i < count; ++i) {
      const double mu = chosen(dimension, i);
      const std::span<const double> own = values_in(values, begin + i);
      const std::span<double> row = out.row(begin + i);
      if (!spread_) {
        for (std::size_t j = 0; j < own.size(); ++j) row[j] = own[j] >= mu ? 1 : 0;
        continue;
      }
      const auto [low, high] = contract().clip[dimension];
      const double sigma = *spread_ * (high - low) / 2, begins = (low - mu) / sigma;
      const double whole = normal_between(begins, (high - mu) / sigma);
      for (std::size_t j = 0; j < own.size(); ++j) {
        row[j] = normal_between(begins, (std::clamp(own[j], low, high) - mu) / sigma) / whole;
      }
    }
  });
  return true;
}

}  // namespace mercer

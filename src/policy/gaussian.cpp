#include "mercer/policy/gaussian.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "policy/act.hpp"
#include "policy/scratch.hpp"

namespace mercer {
namespace {

// log of sqrt(2 pi)
const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

// The log-density of one dimension of an action.
double log_density(const Contract& contract, std::size_t d, double action, double mean, double log_std) {
  double u = (action - contract.centre[d]) / contract.scale[d];
  double log_slope = std::log(std::abs(contract.scale[d]));  // of action against u
  if (contract.squash == Squash::tanh) {
    if (!(std::abs(u) <= 1)) return -std::numeric_limits<double>::infinity();
    constexpr double last = 1 - std::numeric_limits<double>::epsilon() / 2;
    const double z = std::min(std::max(u, -last), last);
    log_slope += std::log1p(-z) + std::log1p(z);
    u = std::atanh(z);
  }
  const double deviation = (u - mean) * std::exp(-log_std);
  return -0.5 * deviation * deviation - log_std - log_root_two_pi - log_slope;
}

}  // namespace

GaussianPolicy::GaussianPolicy(std::string name, Contract contract, BatchFunction parameters)
    : Policy(std::move(name), std::move(contract)), parameters_(std::move(parameters)) {}

void GaussianPolicy::sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const {
  for_each_chunk(action.cols(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(2 * action.rows() + 1, count);
    const MatrixView<double> all = memory.view();
    const std::span<double> noise = all.row(2 * action.rows());
    parameters_(observation.columns(begin, count), all.row_block(0, 2 * action.rows()));
    const Draws own{draws.seed, draws.stage, draws.step, draws.items.subspan(begin, count)};
    for (std::size_t d = 0; d < action.rows(); ++d) {
      own.fill_normal(noise, static_cast<std::uint32_t>(d));
      for (std::size_t i = 0; i < count; ++i) {
        const double u = all(d, i) + std::exp(all(action.rows() + d, i)) * noise[i];
        action(d, begin + i) = clip_action(contract(), d, to_action(contract(), d, u));
      }
    }
  });
}

void GaussianPolicy::mean_action(MatrixView<const double> observation, MatrixView<double> action) const {
  for_each_chunk(action.cols(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(2 * action.rows(), count);
    const MatrixView<double> all = memory.view();
    parameters_(observation.columns(begin, count), all);
    for (std::size_t d = 0; d < action.rows(); ++d) {
      for (std::size_t i = 0; i < count; ++i) {
        action(d, begin + i) = clip_action(contract(), d, to_action(contract(), d, all(d, i)));
      }
    }
  });
}

void GaussianPolicy::log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                              std::span<double> out) const {
  for_each_chunk(action.cols(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(2 * action.rows(), count);
    const MatrixView<double> all = memory.view();
    parameters_(observation.columns(begin, count), all);
    for (std::size_t i = 0; i < count; ++i) {
      double total = 0;
      for (std::size_t d = 0; d < action.rows(); ++d) {
        total += log_density(contract(), d, action(d, begin + i), all(d, i), all(action.rows() + d, i));
      }
      out[begin + i] = total;
    }
  });
}

bool GaussianPolicy::cdf(MatrixView<const double> observation, std::size_t dimension, double value,
                         std::span<double> out) const {
  return cdf_each(observation, dimension, std::vector<double>(out.size(), value), out);
}

// Squashing is monotone: P(action <= value) = P(u <= the number that becomes that value).
bool GaussianPolicy::cdf_each(MatrixView<const double> observation, std::size_t dimension,
                              std::span<const double> values, std::span<double> out) const {
  const double scale = contract().scale[dimension], centre = contract().centre[dimension];
  const bool squashed = contract().squash == Squash::tanh;
  for_each_chunk(out.size(), [&](std::size_t begin, std::size_t count) {
    const std::size_t actions = action_space().dimensions();
    const Scratch memory(2 * actions, count);
    const MatrixView<double> all = memory.view();
    parameters_(observation.columns(begin, count), all);
    for (std::size_t i = 0; i < count; ++i) {
      double u = (values[begin + i] - centre) / scale;
      if (squashed) u = std::atanh(std::clamp(u, -1.0, 1.0));
      const double deviation = (u - all(dimension, i)) * std::exp(-all(actions + dimension, i));
      const double below = 0.5 * std::erfc(-deviation / std::numbers::sqrt2);
      out[begin + i] = scale > 0 ? below : 1 - below;
    }
  });
  return true;
}

}  // namespace mercer

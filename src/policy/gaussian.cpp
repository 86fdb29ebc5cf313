#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "mercer/policy.hpp"
#include "policy/batch.hpp"

namespace mercer {
namespace {

// log of sqrt(2 pi)
const double log_root_two_pi = 0.5 * std::log(2 * std::numbers::pi);

// The number that an action comes from, and the logarithm of the action's slope against it; an infinite one where no
// number gives this action.
struct Source {
  double u, log_slope;
};

Source source_of(const Contract& contract, std::size_t d, double action) {
  Source source{(action - contract.centre[d]) / contract.scale[d], std::log(std::abs(contract.scale[d]))};
  if (contract.squash != Squash::tanh) return source;
  if (!(std::abs(source.u) <= 1)) return {0, std::numeric_limits<double>::infinity()};
  constexpr double last = 1 - std::numeric_limits<double>::epsilon() / 2;
  const double z = std::min(std::max(source.u, -last), last);
  source.log_slope += std::log1p(-z) + std::log1p(z);
  source.u = std::atanh(z);
  return source;
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
  log_prob_many(observation, action, {out.data(), out.size(), 1});
}

void GaussianPolicy::log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                                   MatrixView<double> out) const {
  const std::size_t dimensions = action.rows(), each = out.cols();
  const bool shared = action.cols() == each;
  const Scratch sources(2 * dimensions, each);  // numbers, then slopes
  const auto find_sources = [&](std::size_t first) {
    for (std::size_t d = 0; d < dimensions; ++d) {
      for (std::size_t j = 0; j < each; ++j) {
        const Source source = source_of(contract(), d, action(d, first + j));
        sources.view()(d, j) = source.u;
        sources.view()(dimensions + d, j) = source.log_slope;
      }
    }
  };
  if (shared) find_sources(0);
  for_each_chunk(out.rows(), [&](std::size_t begin, std::size_t count) {
    const Scratch memory(2 * dimensions, count);
    const MatrixView<double> all = memory.view();
    parameters_(observation.columns(begin, count), all);
    for (std::size_t i = 0; i < count; ++i) {
      if (!shared) find_sources((begin + i) * each);
      const std::span<double> row = out.row(begin + i);
      std::ranges::fill(row, 0.0);
      for (std::size_t d = 0; d < dimensions; ++d) {
        const std::span<const double> u = sources.view().row(d), log_slope = sources.view().row(dimensions + d);
        const double mean = all(d, i), log_std = all(dimensions + d, i), per_std = std::exp(-log_std);
        for (std::size_t j = 0; j < each; ++j) {
          const double deviation = (u[j] - mean) * per_std;
          row[j] += -0.5 * deviation * deviation - log_std - log_root_two_pi - log_slope[j];
        }
      }
    }
  });
}

// Squashing is monotone: P(action <= value) = P(u <= the number that becomes that value).
bool GaussianPolicy::cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
                         MatrixView<double> out) const {
  const double scale = contract().scale[dimension], centre = contract().centre[dimension];
  const Scratch sources(1, values.cols());
  const std::span<double> u = sources.view().row(0);
  const auto find_sources = [&](std::span<const double> own) {
    for (std::size_t j = 0; j < u.size(); ++j) {
      u[j] = (own[j] - centre) / scale;
      if (contract().squash == Squash::tanh) u[j] = std::atanh(std::clamp(u[j], -1.0, 1.0));
    }
  };
  if (values.rows() == 1) find_sources(values.row(0));
  for_each_chunk(out.rows(), [&](std::size_t begin, std::size_t count) {
    const std::size_t actions = action_space().dimensions();
    const Scratch memory(2 * actions, count);
    const MatrixView<double> all = memory.view();
    parameters_(observation.columns(begin, count), all);
    for (std::size_t i = 0; i < count; ++i) {
      if (values.rows() > 1) find_sources(values.row(begin + i));
      const double mean = all(dimension, i), per_std = std::exp(-all(actions + dimension, i));
      for (std::size_t j = 0; j < u.size(); ++j) {
        const double below = 0.5 * std::erfc(-(u[j] - mean) * per_std / std::numbers::sqrt2);
        out(begin + i, j) = scale > 0 ? below : 1 - below;
      }
    }
  });
  return true;
}

}  // namespace mercer

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "measure/special.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// Gauss and Legendre's eight nodes and weights on [-1, 1]; the other half is the mirror image.
constexpr std::array<double, 4> nodes{0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363};
constexpr std::array<double, 4> weights{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763};

// Where densities are asked for, rising, each with the length it stands for.
struct Quadrature {
  std::vector<double> places, lengths;
};

Quadrature over_box(Range range, std::vector<double> breaks) {
  breaks.push_back(range.low);
  breaks.push_back(range.high);
  breaks.push_back((range.low + range.high) / 2);
  for (int k = 2; k < 46; ++k) {
    breaks.push_back(range.low + std::ldexp(range.width(), -k));
    breaks.push_back(range.high - std::ldexp(range.width(), -k));
  }
  for (int k = 1; k < 40; ++k) breaks.push_back(range.low + range.width() * k / 40);
  std::erase_if(breaks, [&](double place) { return !(place >= range.low && place <= range.high); });
  std::ranges::sort(breaks);
  Quadrature out;
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    const double middle = (breaks[i] + breaks[i + 1]) / 2, half = (breaks[i + 1] - breaks[i]) / 2;
    if (!(half > 0)) continue;
    for (std::size_t k = 8; k-- > 0;) {
      const std::size_t n = k < 4 ? k : 7 - k;
      out.places.push_back(middle + (k < 4 ? half : -half) * nodes[n]);
      out.lengths.push_back(half * weights[n]);
    }
  }
  return out;
}

Quadrature quadrature(const Policy& first, const Policy& second, std::vector<double> breaks) {
  const Space& space = first.action_space();
  if (space.dimensions() != 1 || second.action_space().dimensions() != 1 ||
      second.action_space().count != space.count || first.observation_dimensions() != second.observation_dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("policies '{}' and '{}' have {} and {} action dimensions", first.name(), second.name(),
                            space.dimensions(), second.action_space().dimensions()),
                "Give two policies of one task with a single action dimension");
  }
  if (!space.is_discrete()) {
    const Range range = space.axes[0].range;
    if (!std::isfinite(range.width())) {
      throw Error(ErrorCode::not_finite, fmt::format("the actions go from {} to {}", range.low, range.high),
                  "Give policies whose actions are bounded");
    }
    return over_box(range, std::move(breaks));
  }
  Quadrature out;
  for (std::size_t a = 0; a < space.count; ++a) out.places.push_back(static_cast<double>(a));
  out.lengths.assign(space.count, 1);
  return out;
}

PolicyDistance in_state(const Quadrature& at, std::span<const double> log1, std::span<const double> log2) {
  PolicyDistance found;
  double mass1 = 0, mass2 = 0, gap = 0, difference = 0;
  for (std::size_t i = 0; i < at.places.size(); ++i) {
    const double p = std::exp(log1[i]) * at.lengths[i], q = std::exp(log2[i]) * at.lengths[i];
    mass1 += p;
    mass2 += q;
    found.tv += std::abs(p - q) / 2;
    if (p > 0) found.kl += p * (log1[i] - log2[i]);
    gap += at.places[i] * (p - q);
    // The distribution functions differ by `difference` from this place to the next.
    difference += p - q;
    if (i + 1 < at.places.size()) found.w1 += std::abs(difference) * (at.places[i + 1] - at.places[i]);
  }
  found.most_tv = found.tv;
  found.mean_gap = std::abs(gap);
  found.inside = std::min(mass1, mass2);
  return found;
}

}  // namespace

double gaussian_total_variation(double mean1, double std1, double mean2, double std2) {
  const auto gap = [&](double x) {  // F1 - F2
    return normal_probability((x - mean1) / std1) - normal_probability((x - mean2) / std2);
  };
  // The densities cross where a x^2 + b x + c = 0.
  const double a = 1 / (std1 * std1) - 1 / (std2 * std2);
  const double b = -2 * (mean1 / (std1 * std1) - mean2 / (std2 * std2));
  const double c = mean1 * mean1 / (std1 * std1) - mean2 * mean2 / (std2 * std2) + 2 * std::log(std1 / std2);
  if (std1 == std2) return mean1 == mean2 ? 0 : std::abs(gap((mean1 + mean2) / 2));
  const double root = std::sqrt(std::max(b * b - 4 * a * c, 0.0)), t = -(b + std::copysign(root, b)) / 2;
  const double x1 = t / a, x2 = t != 0 ? c / t : x1;
  return std::abs(gap(std::max(x1, x2)) - gap(std::min(x1, x2)));
}

double gaussian_divergence(double mean1, double std1, double mean2, double std2) {
  const double ratio = std1 / std2, shift = (mean1 - mean2) / std2;
  return 0.5 * (ratio * ratio + shift * shift - 1) - std::log(ratio);
}

PolicyDistance policy_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               const std::vector<double>& breaks) {
  const Quadrature at = quadrature(first, second, breaks);
  const std::size_t states = observations.cols(), many = at.places.size();
  std::vector<PolicyDistance> each(states);
  for_each_block(states, 8, [&](Block block) {
    std::vector<double> same(observations.rows() * many), log1(many), log2(many);
    const MatrixView<double> state(same.data(), observations.rows(), many);
    const MatrixView<const double> action(at.places.data(), 1, many);
    for (std::size_t s = block.begin; s < block.end; ++s) {
      for (std::size_t d = 0; d < observations.rows(); ++d) std::ranges::fill(state.row(d), observations(d, s));
      first.log_prob(state, action, log1);
      second.log_prob(state, action, log2);
      each[s] = in_state(at, log1, log2);
    }
  });
  PolicyDistance mean;
  for (const PolicyDistance& one : each) {
    const double share = 1 / static_cast<double>(states);
    mean.tv += share * one.tv;
    mean.kl += share * one.kl;
    mean.w1 += share * one.w1;
    mean.mean_gap += share * one.mean_gap;
    mean.most_tv = std::max(mean.most_tv, one.tv);
    mean.inside = std::min(mean.inside, one.inside);
  }
  return mean;
}

double sampled_wasserstein(const Policy& first, const Policy& second, MatrixView<const double> observations,
                           std::size_t draws, std::uint64_t seed) {
  require_in_range("draws", static_cast<double>(draws), 1, most_transport_points, "256 are usual");
  const std::size_t states = observations.cols(), actions = first.action_space().dimensions();
  std::vector<double> each(states);
  std::vector<std::uint64_t> items(draws);
  for (std::size_t i = 0; i < draws; ++i) items[i] = i;
  for_each_block(states, 4, [&](Block block) {
    std::vector<double> same(observations.rows() * draws), a(actions * draws), b(actions * draws);
    const MatrixView<double> state(same.data(), observations.rows(), draws), one(a.data(), actions, draws),
        other(b.data(), actions, draws);
    for (std::size_t s = block.begin; s < block.end; ++s) {
      for (std::size_t d = 0; d < observations.rows(); ++d) std::ranges::fill(state.row(d), observations(d, s));
      const Draws keys{seed, Stage::action, static_cast<std::uint32_t>(s), items};
      first.sample(state, keys, one);
      second.sample(state, keys, other);
      each[s] = actions == 1 ? wasserstein(a, b) : transport_distance({one}, {other});
    }
  });
  double sum = 0;
  for (const double value : each) sum += value;
  return sum / static_cast<double>(states);
}

}  // namespace mercer

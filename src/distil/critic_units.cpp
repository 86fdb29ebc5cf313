#include "distil/critic_units.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "learn/checkpoint.hpp"

namespace mercer::distil {

void CriticUnits::exchange(learn::Archive& archive) {
  archive.numbers("critics.shift", std::span(&shift, 1));
  archive.numbers("critics.scale", std::span(&scale, 1));
  std::uint64_t size = observations.mean.size();
  archive.count("critics.observations", size);
  observations.mean.resize(size);
  observations.variance.resize(size);
  archive.numbers("critics.mean", std::span(observations.mean));
  archive.numbers("critics.variance", std::span(observations.variance));
}

namespace {

Normalisation normalisation_of(const learn::Replay& steps, std::size_t observations) {
  const auto share = 1 / static_cast<double>(steps.size());
  Normalisation out;
  out.mean.assign(observations, 0);
  out.variance.assign(observations, 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t d = 0; d < observations; ++d) out.mean[d] += share * steps.record(i)[d];
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (std::size_t d = 0; d < observations; ++d) {
      const double off = steps.record(i)[d] - out.mean[d];
      out.variance[d] += share * off * off;
    }
  }
  return out;
}

}  // namespace

CriticUnits units_of(const learn::Replay& steps, std::size_t observations, std::size_t actions, double gamma) {
  CriticUnits out;
  out.observations = normalisation_of(steps, observations);
  // From each step on, what an episode earns, and the weight of what would come after it: backwards.
  const std::size_t count = steps.size();
  std::vector<double> earned(count), beyond(count);
  double all_earned = 0, all_beyond = 0;
  for (std::size_t i = count; i-- > 0;) {
    const float* const next = steps.record(i) + observations + actions;
    const double reward = next[observations], discount = gamma * next[observations + 1];
    const bool last = i + 1 == count || !std::equal(next, next + observations, steps.record(i + 1));
    earned[i] = reward + discount * (last ? 0 : earned[i + 1]);
    beyond[i] = discount * (last ? 1 : beyond[i + 1]);
    all_earned += earned[i];
    all_beyond += beyond[i];
  }
  const double mean = all_earned / (static_cast<double>(count) - all_beyond);
  double variance = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double off = earned[i] + beyond[i] * mean - mean;
    variance += off * off / static_cast<double>(count);
  }
  out.shift = static_cast<float>(mean);
  out.scale = static_cast<float>(std::max(std::sqrt(variance), 1e-3 * std::abs(mean)));
  if (!(out.scale > 0)) out.scale = 1;
  return out;
}

}  // namespace mercer::distil

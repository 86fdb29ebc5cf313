#include "mercer/rollout.hpp"

#include <cmath>

namespace mercer {
namespace {

RolloutOptions options_for(const Episodes& episodes, bool keep_steps) {
  RolloutOptions out;
  out.episodes = episodes.count;
  out.seed = episodes.seed;
  out.act = episodes.act;
  out.gamma = episodes.gamma;
  out.horizon = episodes.horizon;
  out.keep_steps = keep_steps;
  out.first = episodes.first;
  return out;
}

}  // namespace

std::optional<bool> failed(const Task& task, const Outcome& outcome) {
  if (task.ending == Ending::plain) return std::nullopt;
  return outcome.terminated == (task.ending == Ending::failure);
}

std::vector<Outcome> outcomes_of(const Rollouts& rollouts) {
  std::vector<Outcome> out(rollouts.episodes());
  for (std::size_t e = 0; e < out.size(); ++e) {
    out[e] = {rollouts.returns[e], rollouts.discounted_returns[e],
              static_cast<std::size_t>(rollouts.offsets[e + 1] - rollouts.offsets[e]), rollouts.terminated[e] != 0};
  }
  return out;
}

std::vector<double> returns_of(std::span<const Outcome> outcomes, double gamma) {
  std::vector<double> out;
  out.reserve(outcomes.size());
  for (const Outcome& one : outcomes) out.push_back(gamma < 1 ? one.discounted : one.total);
  return out;
}

std::vector<Outcome> EnvPlayer::play(const Policy& policy, const Episodes& episodes, const Progress& progress) const {
  return outcomes_of(rollout(env_, policy, options_for(episodes, false), progress));
}

Rollouts EnvPlayer::roll_out(const Policy& policy, const Episodes& episodes, const Progress& progress) const {
  return rollout(env_, policy, options_for(episodes, true), progress);
}

std::optional<Range> EnvPlayer::return_range(std::uint32_t horizon, double gamma) const {
  const Range range = mercer::return_range(env_, horizon, gamma);
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) return std::nullopt;
  return range;
}

std::uint32_t reset_seed(std::uint64_t seed, std::uint64_t episode) {
  constexpr std::uint64_t bits = 31, typed = 11;  // 2^11 seeds of 2^20 episodes each
  std::uint64_t number = (seed << (bits - typed)) + episode;
  if (seed >> typed != 0) {
    Random random({seed, Stage::start, 0, 0});
    const std::uint64_t a = random.bits() | 1, b = random.bits();
    number = a * episode + b;
  }
  return static_cast<std::uint32_t>(number & ((std::uint64_t{1} << bits) - 1));
}

}  // namespace mercer

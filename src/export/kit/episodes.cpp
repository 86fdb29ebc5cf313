#include "export/kit/episodes.hpp"

#include <algorithm>
#include <cmath>

#include "export/common/head.hpp"
#include "export/common/test_vectors.hpp"
#include "mercer/error.hpp"
#include "mercer/rollout.hpp"

namespace mercer {
namespace {

constexpr std::uint64_t seed = 1;
constexpr std::size_t kept_steps = StoredEpisodes::kept_steps;

// The return of an episode from `start`, with the observations that code in single precision sees and every action
// moved by `shift` of its range.
double play(const Env& env, const Policy& policy, std::span<const double> start, double shift) {
  const Task& task = env.task();
  const std::size_t n = task.observation.dimensions(), m = task.action.dimensions();
  const ControllerInterface outside{policy.contract(), {}};
  std::vector<double> state(start.begin(), start.end()), obs(n), act(m);
  double total = 0, reward = 0;
  std::uint8_t ended = StepEnd::none;
  const std::uint64_t item = 0;
  for (std::uint32_t step = 0; step < task.time_limit && ended == StepEnd::none; ++step) {
    env.observe({state.data(), state.size(), 1}, {obs.data(), n, 1});
    for (double& number : obs) number = static_cast<float>(number);
    policy.mean_action({obs.data(), n, 1}, {act.data(), m, 1});
    for (std::size_t a = 0; a < m && !task.action.is_discrete(); ++a) {
      const auto [low, high] = task.action.axes[a].range;
      act[a] = std::clamp(act[a] + shift * outside.width(a), low, high);
    }
    const Draws draws{seed, Stage::start, step, {&item, 1}};
    env.step({state.data(), state.size(), 1}, {act.data(), m, 1}, draws, {&reward, 1}, {&ended, 1});
    total += reward;
  }
  return total;
}

// Four times what the return moves where every action does by what the code may be off, and room for the rounding of
// the device: a thousandth; for discrete actions, where a tie may fall the other way, a fiftieth.
void add_closed_loop(const Env& env, const Policy& policy, double stated_error, StoredEpisodes& stored) {
  const std::size_t width = env.task().state.dimensions();
  const double room = env.task().action.is_discrete() ? 0.02 : 0.001;
  for (std::size_t e = 0; e < StoredEpisodes::episodes; ++e) {
    const auto start = std::span(stored.starts).subspan(e * width, width);
    const double usual = play(env, policy, start, 0);
    double moved = 0;
    for (const double shift : {-stated_error, stated_error})
      moved = std::max(moved, std::abs(play(env, policy, start, shift) - usual));
    stored.returns.push_back(usual);
    stored.limits.push_back(4 * moved + room * std::max(1.0, std::abs(usual)));
  }
}

// Evenly spaced observations of each episode.
std::vector<double> spread_observations(const Rollouts& rollouts, std::size_t n, std::size_t& first) {
  std::vector<double> kept;
  for (std::size_t e = 0; e < rollouts.episodes(); ++e) {
    const auto begin = static_cast<std::size_t>(rollouts.offsets[e]);
    const std::size_t length = static_cast<std::size_t>(rollouts.offsets[e + 1]) - begin;
    const std::size_t stride = (length + kept_steps - 1) / kept_steps;
    for (std::size_t step = 0; step < length; step += stride) {
      const auto row = std::span(rollouts.observations).subspan((begin + step) * n, n);
      for (const double number : row) kept.push_back(static_cast<float>(number));
    }
    if (e == 0) first = kept.size() / n;
  }
  return kept;
}

}  // namespace

StoredEpisodes store_episodes(const EmbeddingFile& file, double stated_error) {
  StoredEpisodes stored;
  const Policy& policy = file.embedding.policy();
  std::unique_ptr<Env> env;
  Rollouts rollouts;
  try {
    env = make_env(file.origin.env);
    rollouts = rollout(*env, policy, {.episodes = StoredEpisodes::episodes, .seed = seed, .act = Act::mean});
  } catch (const Error&) {  // a task of Python, or a file that is elsewhere: nothing to play
    stored.vectors = make_test_vectors(file, StoredEpisodes::episodes * kept_steps, seed);
    stored.shown = kept_steps;
    return stored;
  }
  stored.task = env->task().name;
  stored.steps = env->task().time_limit;
  const bool nominal = file.origin.env.find(':') == std::string::npos;
  const Plant* const plant = plant_of(stored.task);
  stored.plant = nominal ? plant : nullptr;
  stored.perturbed = !nominal && plant != nullptr;
  if (stored.plant != nullptr) {
    stored.starts = rollouts.start_states;
    add_closed_loop(*env, policy, stated_error, stored);
  } else {
    const std::size_t n = policy.observation_dimensions();
    const std::vector<double> seen = spread_observations(rollouts, n, stored.shown);
    stored.vectors = vectors_at(policy, seen, 2 * stated_error, stored.shown);
  }
  return stored;
}

}  // namespace mercer

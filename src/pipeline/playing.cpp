#include "pipeline/playing.hpp"

#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

std::vector<std::string> names_of(const Space& space) {
  std::vector<std::string> names;
  for (const Axis& axis : space.axes) names.push_back(axis.name);
  return names;
}

Rollouts without_steps(const Task& task, const Policy& policy, const Episodes& episodes,
                       const std::vector<Outcome>& outcomes) {
  Rollouts out;
  out.env = task.name;
  out.policy = policy.name();
  out.seed = episodes.seed;
  out.gamma = episodes.gamma.value_or(task.gamma);
  out.discrete_actions = task.action.is_discrete();
  out.observation_names = names_of(task.observation);
  out.action_names = names_of(task.action);
  for (const Outcome& one : outcomes) {
    out.offsets.push_back(out.offsets.back() + static_cast<std::int64_t>(one.steps));
    out.returns.push_back(one.total);
    out.discounted_returns.push_back(one.discounted);
    out.terminated.push_back(one.terminated ? 1 : 0);
    if (episodes.motion) out.motions.push_back(one.motion);
    if (episodes.compared != nullptr) out.distances.push_back(one.distance);
  }
  return out;
}

// By a player that is no task of the library: it draws its own start states, and batches as it likes.
Rollouts play_outside(const Player& player, const Policy& policy, const RolloutOptions& options,
                      const Progress& progress) {
  if (!options.start_states.empty()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("start_states were given, and '{}' is no built-in task: it can only be reset by seed",
                            player.task().name),
                "Leave them out");
  }
  const Episodes episodes{.count = options.episodes,
                          .seed = options.seed,
                          .act = options.act,
                          .gamma = options.gamma,
                          .horizon = options.horizon,
                          .motion = options.motion,
                          .compared = options.compared};
  if (options.keep_steps) return player.roll_out(policy, episodes, progress);
  return without_steps(player.task(), policy, episodes, player.play(policy, episodes, progress));
}

}  // namespace

std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed) {
  if (request.player) return request.player;
  struct Owner {
    std::shared_ptr<const Env> env;
    EnvPlayer player{*env};
  };
  const auto owner = std::make_shared<const Owner>(Owner{resolve_task(request, seed)});
  return {owner, &owner->player};
}

Rollouts play(const Player& player, const Policy& policy, const RolloutOptions& options, const Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const Env* const env = player.env();
  Rollouts played =
      env == nullptr ? play_outside(player, policy, options, progress) : rollout(*env, policy, options, progress);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (progress.note) {
    progress.note(fmt::format("{} steps of {} in {} took {:.3f} s: {:.3g} steps a second", played.steps(),
                              policy.name(), player.task().name, seconds,
                              static_cast<double>(played.steps()) / seconds));
  }
  return played;
}

RolloutOptions playing_options(const TaskRequest& request, const Task& task, std::size_t episodes, std::uint64_t seed) {
  RolloutOptions options;
  options.episodes = episodes;
  options.seed = seed;
  options.batch = request.batch;
  options.act = request.act.value_or(options.act);
  options.gamma = request.gamma;
  options.horizon = request.horizon;
  options.start_states = request.start_states;
  if (request.starts.empty()) return options;
  const Rollouts from = read_rollouts(request.starts);
  const std::vector<std::string> names = names_of(task.state);
  if (from.episodes() == 0 || from.start_states.size() != from.episodes() * task.state.dimensions() ||
      from.state_names != names) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("'{}' has {} start states of ({}) and the states of task '{}' are ({})", request.starts,
                            from.episodes(), fmt::join(from.state_names, ", "), task.name, fmt::join(names, ", ")),
                "Give rollouts of a task with the same states");
  }
  options.start_states = from.start_states;
  return options;
}

void refuse_starts(const TaskRequest& request) {
  if (request.starts.empty() && request.start_states.empty()) return;
  throw Error(ErrorCode::bad_value, "--starts was given, and a certificate needs start states that the task draws",
              "Leave it out; 'mercer evaluate --against' compares on given starts");
}

}  // namespace mercer

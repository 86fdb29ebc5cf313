#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// What plays in the task of a request: its own player, or the task's.
std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed);
/// Plays with the speed as a note: a task of the library by `rollout`, any other by its player. Throws `bad_value` for
/// start states where there is only a player.
Rollouts play(const Player& player, const Policy& policy, const RolloutOptions& options, const Progress& progress);
inline Rollouts play(const Env& env, const Policy& policy, const RolloutOptions& options, const Progress& progress) {
  return play(EnvPlayer(env), policy, options, progress);
}

/// How episodes are played: the request's settings, with the start states of `starts` read.
RolloutOptions playing_options(const TaskRequest& request, const Task& task, std::size_t episodes, std::uint64_t seed);
/// Throws `bad_value` when start states were given: a certificate needs the task's own.
void refuse_starts(const TaskRequest& request);

}  // namespace mercer

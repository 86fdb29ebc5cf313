#pragma once

#include "mercer/pipeline.hpp"

namespace mercer {

/// What plays in the task of a request: its own player, or the task's.
std::shared_ptr<const Player> resolve_player(const TaskRequest& request, std::uint64_t seed);
/// The same player, whose observations without bounds have the spread that the policy causes where noise needs it.
std::shared_ptr<const Player> with_spread_of(const std::shared_ptr<const Player>& player, const TaskRequest& request,
                                             std::uint64_t seed, const Policy& policy, const Progress& progress);
/// The task of a request in a box of perturbations: its player draws them for every episode, and can play each point
/// (`BoxPlayer`). The request itself where `perturb` is empty. Throws `bad_value` for a player that is no built-in
/// task, and what `read_perturbations` throws.
TaskRequest perturbed(const TaskRequest& request, const std::string& perturb, std::uint64_t seed);
/// Players of the points of a grid over the player's box; none where it has no box.
std::vector<std::shared_ptr<const Player>> grid_players(const Player& player, std::size_t each);

/// How many there are.
std::size_t grid_points(const Player& player, std::size_t each);

/// Fills the grid of a certificate where the player has a box.
void add_grid(Certificate& certificate, const Player& player, const Policy& teacher, const Policy& student,
              std::size_t each, const CertifyOptions& options, const Progress& progress);
/// Plays with the speed as a note: a task of the library by `rollout`, any other by its player. Throws `bad_value` for
/// start states where there is only a player.
Rollouts play(const Player& player, const Policy& policy, const RolloutOptions& options, const Progress& progress);
inline Rollouts play(const Env& env, const Policy& policy, const RolloutOptions& options, const Progress& progress) {
  return play(EnvPlayer(env), policy, options, progress);
}

/// How episodes are played: the request's settings, with the start states of `starts` read.
RolloutOptions playing_options(const TaskRequest& request, const Task& task, std::size_t episodes, std::uint64_t seed);
/// Throws `bad_value` for a limit of failures in a task that cannot fail.
void refuse_failures(const KeepRequest& keep, const Task& task);
/// Throws `bad_value` when start states were given: a certificate needs the task's own.
void refuse_starts(const TaskRequest& request);

}  // namespace mercer

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "core/phases.hpp"
#include "io/file.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "pipeline/options.hpp"
#include "pipeline/playing.hpp"
#include "pipeline/teacher.hpp"

namespace mercer {
namespace {

// By bootstrap, with fewer resamples of many episodes: each takes as long as there are episodes.
std::optional<Range> std_interval(const std::vector<double>& returns) {
  if (returns.size() < 3) return std::nullopt;
  BootstrapOptions options;
  options.resamples = std::clamp<std::size_t>(400'000'000 / returns.size(), 200, 2000);
  return bootstrap_interval(returns, Statistic::std, 0.05, Sides::two, options);
}

void measure(EvaluateResult& result) {
  result.returns = summarise(result.played.returns);
  result.discounted = summarise(result.played.discounted_returns);
  result.std_interval = std_interval(result.played.returns);
}

// Whether the policy takes one action in a state, however it is played: on a box it then has no density.
bool is_deterministic(const Policy& policy) {
  if (dynamic_cast<const DeterministicPolicy*>(&policy) == nullptr) return false;
  if (policy.action_space().is_discrete()) return true;
  const std::size_t n = policy.observation_dimensions(), m = policy.action_space().dimensions();
  const std::vector<double> observation(n), action(m);
  double density = 0;
  try {
    policy.log_prob({observation.data(), n, 1}, {action.data(), m, 1}, {&density, 1});
  } catch (const Error& error) {
    if (error.code() != ErrorCode::missing_option) throw;
    return true;
  }
  return false;
}

// Rollouts of a file are measured, not played.
void refuse_playing(const EvaluateRequest& request) {
  EvaluateRequest copy = request;
  const OptionList options = options_of(copy);
  for (const Option& option : options.all()) {
    const bool plays = option.group == OptionGroup::task || option.group == OptionGroup::policy ||
                       option.group == OptionGroup::network;
    if (!plays || option.name == "gamma" || !request.given.contains(option.name)) continue;
    throw Error(ErrorCode::bad_value,
                fmt::format("--{} was given together with --rollouts, which plays nothing", option.name),
                "Leave one of them out");
  }
}

}  // namespace

RolloutResult rollout(const RolloutRequest& request, const Progress& progress) {
  const auto task = resolve_player(request.task, request.seed);
  const auto policy = resolve_policy(request.policy, task->task(), progress);
  const auto player = with_spread_of(task, request.task, request.seed, *policy, without_bar(progress));
  if (!request.out.empty()) {
    check_rollouts_path(request.out);
    check_writable(request.out);
  }
  RolloutResult result{request.task.env, policy->name(), {}, request.out};
  RolloutOptions options = playing_options(request.task, player->task(), request.episodes, request.seed);
  options.keep_steps = request.keep_steps;
  result.rollouts = play(*player, *policy, options, progress);
  if (!request.out.empty() && team().rank == 0) write_rollouts(request.out, result.rollouts);
  return result;
}

EvaluateResult evaluate(const EvaluateRequest& request, const Progress& progress) {
  EvaluateResult result;
  if (!request.rollouts.empty()) {
    refuse_playing(request);
    result.played = read_rollouts(request.rollouts, request.task.gamma);
    result.env = result.played.env;
    result.policy = result.played.policy;
    result.file = request.rollouts;
    measure(result);
    return result;
  }
  const auto named = resolve_player(request.task, request.seed);
  const Task& task = named->task();
  const auto policy = resolve_policy(request.policy, task, progress);
  const bool compares = !request.against.policy.empty() || request.against.object;
  const auto other = compares ? resolve_policy(request.against, task, progress) : nullptr;
  const auto player =
      with_spread_of(named, request.task, request.seed, other ? *other : *policy, without_bar(progress));
  RolloutOptions options = playing_options(request.task, task, request.episodes, request.seed);
  options.keep_steps = false;
  options.motion = request.behaviour;
  if (request.behaviour) options.compared = other.get();
  result.env = request.task.env;
  result.policy = policy->name();
  result.deterministic = is_deterministic(*policy);
  result.seed = request.seed;
  const auto episodes = static_cast<double>(request.episodes);
  Phases bar(progress, {{"policy plays", episodes}, {"the other plays", other ? episodes : 0}});
  bar.begin(0);
  result.played = play(*player, *policy, options, bar.inner());
  measure(result);
  // Where an end means nothing there is no share of failures.
  const auto measured = [&](const Rollouts& played) {
    Behaviour out = behaviour_of(outcomes_of(played), task);
    if (task.ending == Ending::plain) out.failures = std::numeric_limits<double>::quiet_NaN();
    return out;
  };
  if (request.behaviour) result.behaviour = measured(result.played);
  if (!other) return result;
  // The same seed gives both the same start states and the same noise.
  if (request.behaviour) options.compared = policy.get();
  bar.begin(1);
  const Rollouts rival = play(*player, *other, options, bar.inner());
  result.against = {other->name(), summarise(rival.returns), paired_loss(rival.returns, result.played.returns)};
  if (request.behaviour) result.against->behaviour = measured(rival);
  return result;
}

}  // namespace mercer

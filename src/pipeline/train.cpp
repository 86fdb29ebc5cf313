#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/phases.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/statistics.hpp"
#include "pipeline/declare/parts.hpp"

namespace mercer {
namespace {

template <class T, class Field>
void take(const std::optional<T>& given, Field& field) {
  if (given) field = *given;
}

void apply_shared(const TrainRequest& request, LearnOptions& options) {
  take(request.hidden, options.hidden);
  take(request.learning_rate, options.learning_rate);
  take(request.decay_updates, options.decay_updates);
  take(request.batch_size, options.batch_size);
  take(request.gamma, options.gamma);
  take(request.buffer, options.buffer);
  take(request.warmup, options.warmup);
  take(request.train_every, options.train_every);
  take(request.updates, options.updates);
  take(request.scale_observations, options.scale_observations);
}

void apply(const TrainRequest& request, SacOptions& options) {
  apply_shared(request, options);
  take(request.tau, options.tau);
  take(request.initial_alpha, options.initial_alpha);
  take(request.tune_alpha, options.tune_alpha);
  take(request.target_entropy, options.target_entropy);
  take(request.noise_correlation, options.noise_correlation);
}

void apply(const TrainRequest& request, DqnOptions& options) {
  apply_shared(request, options);
  take(request.epsilon_start, options.epsilon_start);
  take(request.epsilon_end, options.epsilon_end);
  take(request.epsilon_steps, options.epsilon_steps);
  take(request.epsilon_run, options.epsilon_run);
  take(request.target_every, options.target_every);
  take(request.double_q, options.double_q);
  take(request.max_gradient_norm, options.max_gradient_norm);
}

void apply(const TrainRequest& request, ArsOptions& options) {
  take(request.directions, options.directions);
  take(request.best, options.best);
  take(request.step_size, options.step_size);
  take(request.search_noise, options.noise);
  take(request.reward_shift, options.reward_shift);
}

}  // namespace

TrainPlan plan_training(const TrainRequest& request) {
  if (request.env.empty()) {
    throw Error(ErrorCode::missing_option, "no task was named", "Add --env TASK; 'mercer list' shows the tasks");
  }
  TrainPlan plan;
  plan.env = make_env(request.env, request.seed);
  if (request.out.empty()) {
    throw Error(ErrorCode::missing_option, "no folder was named for the run", "Add --out DIR");
  }
  const Task& task = plan.env->task();
  plan.recipe = recipe_for(request.algorithm.value_or(usual_algorithm(task)), task.name);
  refuse_other_algorithms(request, algorithm_of(plan.recipe.options));
  std::visit([&](auto& own) { apply(request, own); }, plan.recipe.options);
  TrainOptions& options = plan.options;
  options.env = request.env;
  options.seed = request.seed;
  options.steps = request.steps.value_or(plan.recipe.steps);
  options.snapshots = request.snapshots;
  options.algorithm = plan.recipe.options;
  options.folder = request.out;
  options.force = request.force;
  options.checkpoint_seconds = request.checkpoint_seconds;
  return plan;
}

TrainOutcome train(const TrainRequest& request, const Progress& progress) {
  TrainOutcome outcome{plan_training(request), {}, {}};
  // Learning calls its phase what it reports. A step that is played alone takes a small part of one that is learned.
  constexpr double playing_alone = 0.05;
  const double steps =
      static_cast<double>(outcome.plan.env->task().time_limit) * static_cast<double>(request.eval_episodes);
  Phases bar(progress, {{"", static_cast<double>(outcome.plan.options.steps)},
                        {"snapshots play",
                         playing_alone * steps * static_cast<double>(outcome.plan.options.snapshots.size() + 1)}});
  bar.begin(0);
  outcome.result = train(*outcome.plan.env, outcome.plan.options, bar.inner());
  RolloutOptions playing;
  playing.episodes = request.eval_episodes;
  playing.seed = request.seed;
  playing.act = Act::mean;
  playing.keep_steps = false;
  for (const Snapshot& snapshot : outcome.result.snapshots) {
    const auto policy = make_policy(snapshot.file.string(), outcome.plan.env->task());
    try {
      bar.begin(1, playing_alone * steps);
      const Rollouts played = rollout(*outcome.plan.env, *policy, playing, bar.inner());
      outcome.returns.push_back(summarise(played.returns));
    } catch (const Error& error) {
      if (error.code() != ErrorCode::interrupted) throw;
      throw Error(error.code(),
                  fmt::format("stopped while snapshots were measured; the run in '{}' is whole", request.out),
                  "Run the same command to measure them");
    }
  }
  return outcome;
}

}  // namespace mercer

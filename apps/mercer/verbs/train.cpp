#include "mercer/train.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "explorer/report.hpp"
#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

using mercer::Error;
using mercer::ErrorCode;

namespace {

// Options of the algorithm as they were given; what was not is the recipe's.
struct GivenOptions {
  std::optional<std::vector<std::uint64_t>> hidden;
  std::optional<double> learning_rate, gamma, tau, initial_alpha, target_entropy, noise_correlation;
  std::optional<double> epsilon_start, epsilon_end, epsilon_run, max_gradient_norm;
  std::optional<std::uint64_t> decay_updates, batch_size, buffer, warmup, train_every, updates, epsilon_steps,
      target_every;
  std::optional<bool> scale_observations, tune_alpha, double_q;

  void add_settings(Settings& settings) {
    settings.add({"hidden", "Widths of the hidden layers, such as 64x64 [256x256]", "WIDTHS"}, hidden);
    settings.add({"learning-rate", "Step length of Adam, 1e-8 to 1 [0.001]", "R"}, learning_rate);
    settings.add({"decay-updates", "Updates over which it falls to a hundredth, 0 for never [0]", "N"}, decay_updates);
    settings.add({"batch-size", "Steps in a minibatch, 2 to 65536 [256]", "N"}, batch_size);
    settings.add({"gamma", "Discount, 0 to 1 [0.99]", "G"}, gamma);
    settings.add({"buffer", "Steps remembered for replay [1000000]", "N"}, buffer);
    settings.add({"warmup", "Steps played at random before the first update [500]", "N"}, warmup);
    settings.add({"train-every", "Steps between updates [1]", "N"}, train_every);
    settings.add({"updates", "Updates at a time [1]", "N"}, updates);
    settings.add({"scale-observations", "Bring observations with finite bounds to [-1, 1] [false]", "BOOL"},
                 scale_observations);
    settings.add({"tau", "sac: how fast target networks follow, up to 1 [0.005]", "T"}, tau);
    settings.add({"initial-alpha", "sac: temperature at the start [1]", "A"}, initial_alpha);
    settings.add({"tune-alpha", "sac: whether the temperature is tuned [true]", "BOOL"}, tune_alpha);
    settings.add({"target-entropy", "sac: entropy the temperature aims at [minus the action dimensions]", "H"},
                 target_entropy);
    settings.add({"noise-correlation", "sac: of exploration from step to step, 0 to 0.9999 [0]", "C"},
                 noise_correlation);
    settings.add({"epsilon-start", "dqn: share of random actions at the start [1]", "E"}, epsilon_start);
    settings.add({"epsilon-end", "dqn: share of random actions in the end [0.05]", "E"}, epsilon_end);
    settings.add({"epsilon-steps", "dqn: steps until then [5000]", "N"}, epsilon_steps);
    settings.add({"epsilon-run", "dqn: steps for which a random action is held, on average [1]", "N"}, epsilon_run);
    settings.add({"target-every", "dqn: updates between copies to the target network [500]", "N"}, target_every);
    settings.add({"double-q", "dqn: choose with one network, value with the other [true]", "BOOL"}, double_q);
    settings.add({"max-gradient-norm", "dqn: longer gradients are shortened to it [10]", "L"}, max_gradient_norm);
  }

  template <class T, class Field>
  static void take(const std::optional<T>& given, Field& field) {
    if (given) field = *given;
  }

  void apply(mercer::LearnOptions& options) const {
    if (hidden) options.hidden.assign(hidden->begin(), hidden->end());
    take(learning_rate, options.learning_rate);
    take(decay_updates, options.decay_updates);
    take(batch_size, options.batch_size);
    take(gamma, options.gamma);
    take(buffer, options.buffer);
    take(warmup, options.warmup);
    take(train_every, options.train_every);
    take(updates, options.updates);
    take(scale_observations, options.scale_observations);
  }
  void apply_own(mercer::SacOptions& options) const {
    refuse("dqn", {{"epsilon-start", epsilon_start.has_value()},
                   {"epsilon-end", epsilon_end.has_value()},
                   {"epsilon-steps", epsilon_steps.has_value()},
                   {"epsilon-run", epsilon_run.has_value()},
                   {"target-every", target_every.has_value()},
                   {"double-q", double_q.has_value()},
                   {"max-gradient-norm", max_gradient_norm.has_value()}});
    take(tau, options.tau);
    take(initial_alpha, options.initial_alpha);
    take(tune_alpha, options.tune_alpha);
    take(target_entropy, options.target_entropy);
    take(noise_correlation, options.noise_correlation);
  }
  void apply_own(mercer::DqnOptions& options) const {
    refuse("sac", {{"tau", tau.has_value()},
                   {"initial-alpha", initial_alpha.has_value()},
                   {"tune-alpha", tune_alpha.has_value()},
                   {"target-entropy", target_entropy.has_value()},
                   {"noise-correlation", noise_correlation.has_value()}});
    take(epsilon_start, options.epsilon_start);
    take(epsilon_end, options.epsilon_end);
    take(epsilon_steps, options.epsilon_steps);
    take(epsilon_run, options.epsilon_run);
    take(target_every, options.target_every);
    take(double_q, options.double_q);
    take(max_gradient_norm, options.max_gradient_norm);
  }
  static void refuse(std::string_view other, const std::vector<std::pair<std::string, bool>>& settings) {
    for (const auto& [name, given] : settings) {
      if (!given) continue;
      throw Error(ErrorCode::bad_value, fmt::format("--{} is a setting of {}", name, other),
                  fmt::format("Leave it out, or use --algo {}", other));
    }
  }
};

struct TrainVerb {
  std::string env;
  std::optional<mercer::Algorithm> algorithm;
  std::optional<std::uint64_t> steps;
  std::vector<std::uint64_t> snapshots;
  GivenOptions given;
  std::uint64_t episodes = 100;
  mercer::TrainOptions options;

  void add_settings(Settings& settings) {
    Setting& task = settings.add({"env", "Task to learn, such as pendulum", "TASK"}, env);
    for (const mercer::EnvEntry& entry : mercer::known_envs()) task.choices.push_back(entry.name);
    settings.add_choice({"algo", "Algorithm [sac on a box of actions, dqn on discrete ones]", "ALGO"}, algorithm);
    settings.add({"steps", "Steps to train [the recipe's]", "N"}, steps);
    settings.add(
        {"snapshots", "Steps after which to keep the weights, such as 2000,3000; the last is always kept", "STEPS"},
        snapshots);
    given.add_settings(settings);
    settings.add({"eval-episodes", "Episodes that judge each snapshot, its mean action played [100]", "N"}, episodes);
    settings.add({"checkpoint-seconds", "Seconds between checkpoints [10]; changes no result", "S"},
                 options.checkpoint_seconds);
    settings.add({"out", "Folder of the run; the same command continues it", "DIR"}, options.folder);
    settings.add({"force", "Throw away a run with other settings that the folder holds", ""}, options.force);
  }

  mercer::Recipe complete(const mercer::Env& task, const CommonOptions& common) {
    const bool discrete = task.task().action.is_discrete();
    mercer::Recipe recipe = mercer::recipe_for(
        algorithm.value_or(discrete ? mercer::Algorithm::dqn : mercer::Algorithm::sac), task.task().name);
    std::visit(
        [this](auto& own) {
          given.apply(own);
          given.apply_own(own);
        },
        recipe.options);
    options.env = env;
    options.seed = common.seed;
    options.steps = steps.value_or(recipe.steps);
    options.snapshots = snapshots;
    options.algorithm = recipe.options;
    return recipe;
  }

  void warn_if_idle() const {
    std::visit(
        [this](const auto& own) {
          if (options.steps >= own.warmup) return;
          spdlog::warn("nothing is learned: the first update comes after {} steps (--warmup), and --steps is {}",
                       own.warmup, options.steps);
        },
        options.algorithm);
  }

  mercer::ReturnSummary judge(const mercer::Env& task, const mercer::Snapshot& snapshot,
                              const CommonOptions& common) const {
    mercer::RolloutOptions playing;
    playing.episodes = episodes;
    playing.seed = common.seed;
    playing.act = mercer::Act::mean;
    playing.keep_steps = false;
    const auto policy = mercer::make_policy(snapshot.file.string(), task.task());
    return mercer::summarise(mercer::rollout(task, *policy, playing, terminal_progress(true)).returns);
  }

  void run(const CommonOptions& common) {
    if (env.empty()) {
      throw Error(ErrorCode::missing_option, "no task was named", "Add --env TASK; 'mercer list' shows the tasks");
    }
    const auto task = mercer::make_env(env, common.seed);
    if (options.folder.empty()) {
      throw Error(ErrorCode::missing_option, "no folder was named for the run", "Add --out DIR");
    }
    mercer::require_in_range("eval-episodes", static_cast<double>(episodes), 1, 1e9, "Play at least one episode");
    const mercer::Recipe recipe = complete(*task, common);
    const std::string_view name = std::holds_alternative<mercer::SacOptions>(recipe.options) ? "sac" : "dqn";
    if (!common.quiet) {
      tell("{} in {}, seed {}, {} steps, recipe {}{}\n", name, env, common.seed, options.steps, recipe.name,
           recipe.why.empty() ? "" : ": " + recipe.why);
    }
    warn_if_idle();
    const mercer::TrainResult result = mercer::train(*task, options, terminal_progress(common.quiet));
    if (!common.quiet) {
      if (result.resumed_from > 0) tell("continued after step {}\n", result.resumed_from);
      tell("{} steps in {:.1f} s\n", result.steps - result.resumed_from, result.seconds);
    }
    nlohmann::ordered_json kept = nlohmann::ordered_json::array();
    for (const mercer::Snapshot& snapshot : result.snapshots) {
      const mercer::ReturnSummary summary = judge(*task, snapshot, common);
      if (!common.quiet) tell("{}: {}\n", snapshot.file.string(), to_text(summary));
      kept.push_back({{"step", snapshot.step}, {"file", snapshot.file.string()}, {"return", to_json(summary)}});
    }
    if (!common.json) return;
    print_json({{"env", env},
                {"algo", name},
                {"seed", common.seed},
                {"recipe", recipe.name},
                {"steps", result.steps},
                {"resumed_from", result.resumed_from},
                {"seconds", result.seconds},
                {"snapshots", kept}});
  }
};

}  // namespace

void add_train(Program& program) {
  Verb& verb = program.add_verb("train", "Train a policy by reinforcement learning");
  const auto state = std::make_shared<TrainVerb>();
  state->add_settings(*verb.settings);
  verb.run = [state, &program] { state->run(program.common()); };
}

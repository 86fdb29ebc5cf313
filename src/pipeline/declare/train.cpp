#include <algorithm>

#include <fmt/format.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"
#include "pipeline/declare/parts.hpp"

namespace mercer {
namespace {

template <class T>
std::string text_of(const T& value) {
  return fmt::format("{}", value);
}

void add_shared(OptionList& list, TrainRequest& request) {
  const LearnOptions usual;
  list.add({.name = "hidden",
            .value = "WIDTHS",
            .help = "Widths of the hidden layers, such as 64x64",
            .standard = fmt::format("{}", fmt::join(usual.hidden, "x")),
            .used_first = true},
           request.hidden);
  list.add({.name = "learning-rate",
            .value = "R",
            .help = "Step length of Adam",
            .range = {1e-8, 1},
            .standard = text_of(usual.learning_rate),
            .used_first = true},
           request.learning_rate);
  list.add({.name = "decay-updates",
            .value = "N",
            .help = "Updates over which it falls to a hundredth; 0: never",
            .range = {0, 1e9},
            .standard = text_of(usual.decay_updates)},
           request.decay_updates);
  list.add({.name = "batch-size",
            .value = "N",
            .help = "Steps in a minibatch",
            .range = {2, 65536},
            .standard = text_of(usual.batch_size)},
           request.batch_size);
  list.add({.name = "gamma", .value = "G", .help = "Discount", .range = {0, 1}, .standard = text_of(usual.gamma)},
           request.gamma);
  list.add({.name = "buffer",
            .value = "N",
            .help = "Steps remembered for replay",
            .range = {1, 1e8},
            .standard = text_of(usual.buffer)},
           request.buffer);
  list.add({.name = "warmup",
            .value = "N",
            .help = "Steps played at random before the first update",
            .range = {1, 1e9},
            .standard = text_of(usual.warmup)},
           request.warmup);
  list.add({.name = "train-every",
            .value = "N",
            .help = "Steps between updates",
            .range = {1, 1e6},
            .standard = text_of(usual.train_every)},
           request.train_every);
  list.add({.name = "updates",
            .value = "N",
            .help = "Updates at a time",
            .range = {1, 1000},
            .standard = text_of(usual.updates)},
           request.updates);
  list.add({.name = "scale-observations",
            .value = "BOOL",
            .help = "Scale observations with finite bounds to [-1, 1]",
            .standard = text_of(usual.scale_observations)},
           request.scale_observations);
}

void add_sac(OptionList& list, TrainRequest& request) {
  const SacOptions usual;
  list.add({.name = "tau",
            .value = "T",
            .help = "sac: how fast target networks follow",
            .range = {1e-8, 1},
            .standard = text_of(usual.tau)},
           request.tau);
  list.add({.name = "initial-alpha",
            .value = "A",
            .help = "sac: temperature at the start",
            .range = {1e-8, 1000},
            .standard = text_of(usual.initial_alpha)},
           request.initial_alpha);
  list.add({.name = "tune-alpha",
            .value = "BOOL",
            .help = "sac: tune the temperature",
            .standard = text_of(usual.tune_alpha)},
           request.tune_alpha);
  list.add({.name = "target-entropy",
            .value = "H",
            .help = "sac: entropy that the temperature aims at",
            .range = {-1000, 1000},
            .standard = "minus the action dimensions"},
           request.target_entropy);
  list.add({.name = "noise-correlation",
            .value = "C",
            .help = "sac: correlation of exploration from step to step",
            .range = {0, 0.9999},
            .standard = text_of(usual.noise_correlation)},
           request.noise_correlation);
}

void add_dqn(OptionList& list, TrainRequest& request) {
  const DqnOptions usual;
  list.add({.name = "epsilon-start",
            .value = "E",
            .help = "dqn: share of random actions at the start",
            .range = {0, 1},
            .standard = text_of(usual.epsilon_start)},
           request.epsilon_start);
  list.add({.name = "epsilon-end",
            .value = "E",
            .help = "dqn: share of random actions in the end",
            .range = {0, 1},
            .standard = text_of(usual.epsilon_end)},
           request.epsilon_end);
  list.add({.name = "epsilon-steps",
            .value = "N",
            .help = "dqn: steps from the first share to the last",
            .range = {1, 1e9},
            .standard = text_of(usual.epsilon_steps)},
           request.epsilon_steps);
  list.add({.name = "epsilon-run",
            .value = "N",
            .help = "dqn: mean number of steps that a random action is held",
            .range = {1, 1000},
            .standard = text_of(usual.epsilon_run)},
           request.epsilon_run);
  list.add({.name = "target-every",
            .value = "N",
            .help = "dqn: updates between copies to the target network",
            .range = {1, 1e9},
            .standard = text_of(usual.target_every)},
           request.target_every);
  list.add({.name = "double-q",
            .value = "BOOL",
            .help = "dqn: choose with one network, value with the other",
            .standard = text_of(usual.double_q)},
           request.double_q);
  list.add({.name = "max-gradient-norm",
            .value = "L",
            .help = "dqn: longer gradients are cut to this norm",
            .range = {1e-6, 1e6},
            .standard = text_of(usual.max_gradient_norm)},
           request.max_gradient_norm);
}

void add_ars(OptionList& list, TrainRequest& request) {
  const ArsOptions usual;
  list.add({.name = "directions",
            .value = "N",
            .help = "ars: directions tried in an iteration, two episodes each",
            .range = {1, 1e4},
            .standard = text_of(usual.directions)},
           request.directions);
  list.add({.name = "best",
            .value = "N",
            .help = "ars: directions that count, those with the best returns",
            .range = {1, 1e4},
            .standard = text_of(usual.best)},
           request.best);
  list.add({.name = "step-size",
            .value = "S",
            .help = "ars: length of the step of an iteration",
            .range = {1e-6, 10},
            .standard = text_of(usual.step_size)},
           request.step_size);
  list.add({.name = "search-noise",
            .value = "S",
            .help = "ars: standard deviation of the weights around the current ones",
            .range = {1e-6, 10},
            .standard = text_of(usual.noise)},
           request.search_noise);
  list.add({.name = "reward-shift",
            .value = "R",
            .help = "ars: subtracted from the reward of each step of the search",
            .range = {-1e6, 1e6},
            .standard = text_of(usual.reward_shift)},
           request.reward_shift);
}

}  // namespace

void refuse_other_algorithms(const TrainRequest& request, Algorithm algorithm) {
  struct Owned {
    void (*add)(OptionList&, TrainRequest&);
    std::vector<Algorithm> owners;
  };
  for (const auto& [add, owners] :
       {Owned{add_shared, {Algorithm::sac, Algorithm::dqn}}, Owned{add_sac, {Algorithm::sac}},
        Owned{add_dqn, {Algorithm::dqn}}, Owned{add_ars, {Algorithm::ars}}}) {
    if (std::ranges::find(owners, algorithm) != owners.end()) continue;
    TrainRequest filled = request, plain;
    OptionList own(filled.given), standard(plain.given);
    add(own, filled);
    add(standard, plain);
    const auto changed = differences(own, standard);
    if (changed.empty()) continue;
    std::vector<std::string_view> names;
    names.reserve(owners.size());
    for (const Algorithm owner : owners) names.push_back(name(owner));
    throw Error(ErrorCode::bad_value,
                fmt::format("--{} is an option of {}", changed.begin()->first, fmt::join(names, " and ")),
                fmt::format("Leave it out, or use --algo {}", names.front()));
  }
}

OptionList options_of(TrainRequest& request) {
  using Group = OptionGroup;
  OptionList list(request.given);
  std::vector<std::string> names;
  for (const EnvEntry& entry : known_envs()) names.push_back(entry.name);
  list.in(Group::task)
      .add({.name = "env",
            .value = "TASK",
            .help = "Task to learn, such as pendulum",
            .choices = names,
            .used_first = true},
           request.env);
  list.in(Group::training)
      .add_name({.name = "algo",
                 .value = "ALGO",
                 .help = "Algorithm",
                 .standard = "dqn on discrete actions, ars where it has a recipe for the task, else sac",
                 .used_first = true},
                request.algorithm);
  list.add({.name = "steps",
            .value = "N",
            .help = "Steps to train",
            .range = {1, 1e9},
            .standard = "the recipe's",
            .used_first = true},
           request.steps);
  list.add({.name = "snapshots",
            .value = "STEPS",
            .help = "Steps after which to keep the weights, such as 2000,3000; the last is always kept",
            .used_first = true},
           request.snapshots);
  add_shared(list, request);
  add_sac(list, request);
  add_dqn(list, request);
  add_ars(list, request);
  list.add({.name = "eval-episodes",
            .value = "N",
            .help = "Episodes that measure each snapshot, mean actions played",
            .range = {1, 1e9}},
           request.eval_episodes);
  list.in(Group::output)
      .add({.name = "out",
            .value = "DIR",
            .help = "Folder of the run; the same command continues it",
            .used_first = true},
           request.out);
  list.add({.name = "force", .help = "Discard a run with other settings that the folder holds"}, request.force);
  list.add({.name = "checkpoint-seconds",
            .value = "S",
            .help = "Seconds between checkpoints; changes no result",
            .range = {0, 1e6}},
           request.checkpoint_seconds);
  list.in(Group::run)
      .add({.name = "seed", .value = "N", .help = "Seed of every random draw", .used_first = true}, request.seed);
  return list;
}

}  // namespace mercer

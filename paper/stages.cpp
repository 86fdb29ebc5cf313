#include "stages.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "frame.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/train.hpp"

namespace mercer::paper {

namespace fs = std::filesystem;
using json = nlohmann::json;

namespace {

struct Training {
  std::string task;
  std::uint64_t steps = 0;
  std::vector<std::uint64_t> snapshots;
  AlgorithmOptions algorithm;
};

// The publication gives steps, width and learning rate. With independent noise SAC learns to stand still in the
// mountain car, so exploration, discount and width are those of the library's recipe. That recipe takes 50,000 steps
// and updates after every other one; within the published 25,000 it learns only when it updates after every one.
SacOptions mountain_car_options() {
  auto options = std::get<SacOptions>(recipe_for(Algorithm::sac, "continuous-mountain-car").options);
  options.warmup = 5000;
  options.train_every = 1;
  return options;
}

Training training_of(Teacher teacher) {
  switch (teacher) {
    case Teacher::pendulum:
      return {"pendulum", 5000, {2000, 3000, 4000}, SacOptions{}};
    case Teacher::mountain_car:
      return {"continuous-mountain-car", 25'000, {}, mountain_car_options()};
    case Teacher::dqn:
      break;
  }
  const Recipe recipe = recipe_for(Algorithm::dqn, "mountain-car");
  return {"mountain-car", recipe.steps, {}, recipe.options};
}

std::uint64_t last_step(Teacher teacher) { return training_of(teacher).steps; }

RolloutOptions playing(const Bench& bench, std::uint64_t purpose, std::size_t episodes) {
  RolloutOptions options;
  options.episodes = episodes;
  options.seed = 1000 * bench.seed + purpose;
  return options;
}

std::string head_settings(const Bench& bench, const Head& head, std::size_t episodes) {
  return json{{"teacher", name_of(head.teacher)},
              {"steps", head.steps},
              {"head", name_of(head)},
              {"seed", bench.seed},
              {"episodes", episodes}}
      .dump();
}

}  // namespace

std::string name_of(Teacher teacher) {
  switch (teacher) {
    case Teacher::pendulum:
      return "pendulum";
    case Teacher::mountain_car:
      return "mountain-car";
    case Teacher::dqn:
      break;
  }
  return "dqn";
}

std::string task_of(Teacher teacher) { return training_of(teacher).task; }

double training_seconds(Teacher teacher) {
  return teacher == Teacher::pendulum ? 45 : teacher == Teacher::mountain_car ? 11 : 40;
}

std::string name_of(const Head& head) {
  if (head.teacher == Teacher::dqn) return "greedy";
  return head.boltzmann ? "boltzmann" : "gaussian";
}

Entry train_teacher(const Bench& bench, Teacher teacher) {
  const Training training = training_of(teacher);
  const LearnOptions& shared = shared_options(training.algorithm);
  // The recipe itself is part of the library, whose build is part of every key.
  const json settings{
      {"teacher", name_of(teacher)},     {"task", training.task},   {"steps", training.steps},
      {"snapshots", training.snapshots}, {"seed", bench.seed},      {"learning_rate", shared.learning_rate},
      {"hidden", shared.hidden},         {"warmup", shared.warmup}, {"train_every", shared.train_every}};
  const Job job{"teacher", settings.dump(), {}, true};
  return bench.store.require(
      job,
      [&](const fs::path& folder) {
        TrainOptions options;
        options.env = training.task;
        options.seed = bench.seed;
        options.steps = training.steps;
        options.snapshots = training.snapshots;
        options.algorithm = training.algorithm;
        options.folder = folder;
        train(*make_env(training.task, bench.seed), options, bench.progress);
        for (const char* left_over : {"checkpoint.safetensors", ".lock"}) fs::remove(folder / left_over);
      },
      bench.progress);
}

Player make_player(const Bench& bench, const Head& head) {
  const Entry entry = train_teacher(bench, head.teacher);
  const std::uint64_t steps = head.steps == 0 ? last_step(head.teacher) : head.steps;
  Player player{make_env(task_of(head.teacher), bench.seed), nullptr, entry.digest};
  std::string spec = (entry.folder / fmt::format("snapshot_{:06}.safetensors", steps)).string();
  if (head.boltzmann) spec += ":kind=boltzmann,temperature=1";
  if (head.teacher == Teacher::dqn) spec += ":kind=greedy";
  player.policy = make_policy(spec, player.env->task());
  return player;
}

Rollouts visits(const Bench& bench, const Head& head) {
  const Player player = make_player(bench, head);
  const Job job{"visits", head_settings(bench, head, visit_episodes), {player.digest}};
  const Entry entry = bench.store.require(
      job,
      [&](const fs::path& folder) {
        Rollouts met = rollout(*player.env, *player.policy, playing(bench, 1, visit_episodes), bench.progress);
        met.policy = name_of(head);  // not where its file happens to be
        write_rollouts(folder / "visits.npz", met);
      },
      bench.progress);
  return read_rollouts(entry.folder / "visits.npz");
}

std::vector<double> trial(const Bench& bench, const Env& env, const Policy& policy, Act act) {
  RolloutOptions options = playing(bench, 2, trial_episodes);
  options.act = act;
  options.keep_steps = false;
  Progress quiet;  // many of these run at once
  quiet.stop = bench.progress.stop;
  return rollout(env, policy, options, quiet).returns;
}

std::vector<double> teacher_trial(const Bench& bench, const Head& head) {
  const Player player = make_player(bench, head);
  const Job job{"trial", head_settings(bench, head, trial_episodes), {player.digest}};
  const Entry entry = bench.store.require(
      job,
      [&](const fs::path& folder) {
        Frame frame{{"return"}};
        for (const double earned : trial(bench, *player.env, *player.policy)) frame.add({earned});
        write_frame(folder / "returns.csv", frame);
      },
      bench.progress);
  return Rows(read_frame(entry.folder / "returns.csv")).numbers("return");
}

}  // namespace mercer::paper

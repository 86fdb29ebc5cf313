#include "stages.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "frame.hpp"
#include "mercer/env.hpp"
#include "mercer/pipeline.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer::paper {

namespace fs = std::filesystem;
using json = nlohmann::json;

namespace {

// The publication gives steps, width and learning rate of SAC. With independent noise it learns to stand still in the
// mountain car, so exploration, discount and width are those of the library's recipe. That recipe takes 50,000 steps
// and updates after every other one; within the published 25,000 it learns only when it updates after every one.
TrainRequest training_of(Teacher teacher) {
  TrainRequest request;
  request.algorithm = teacher == Teacher::dqn ? Algorithm::dqn : Algorithm::sac;
  request.eval_episodes = 1;  // trials measure what the experiments ask about
  request.out = ".";          // until the store names a folder
  switch (teacher) {
    case Teacher::pendulum_v0:
    case Teacher::pendulum:
      request.env = teacher == Teacher::pendulum ? "pendulum" : "pendulum-v0";
      request.steps = 5000;
      request.snapshots = {2000, 3000, 4000};
      break;
    case Teacher::mountain_car:
      request.env = "continuous-mountain-car";
      request.steps = 25'000;
      request.warmup = 5000;
      request.train_every = 1;
      break;
    case Teacher::dqn:
      request.env = "mountain-car";
  }
  return request;
}

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
    case Teacher::pendulum_v0:
      return "pendulum-v0";
    case Teacher::pendulum:
      return "pendulum";
    case Teacher::mountain_car:
      return "mountain-car";
    case Teacher::dqn:
      break;
  }
  return "dqn";
}

std::string task_of(Teacher teacher) { return training_of(teacher).env; }

std::string env_of(Teacher teacher) {
  return teacher == Teacher::pendulum || teacher == Teacher::pendulum_v0 ? task_of(teacher) : "any";
}

std::vector<std::string> pendulum_envs() {
  std::vector<std::string> all;
  for (const Teacher teacher : pendulums) all.push_back(env_of(teacher));
  return all;
}

double training_seconds(Teacher teacher) {
  if (teacher == Teacher::mountain_car) return 11;
  return teacher == Teacher::dqn ? 40 : 45;
}

std::string name_of(const Head& head) {
  if (head.teacher == Teacher::dqn) return "greedy";
  return head.boltzmann ? "boltzmann" : "gaussian";
}

Entry train_teacher(const Bench& bench, Teacher teacher) {
  TrainRequest request = training_of(teacher);
  request.seed = bench.seed;
  const TrainOptions options = plan_training(request).options;
  const LearnOptions& shared = *learn_options(options.algorithm);
  // The recipe itself is part of the library, whose build is part of every key.
  const json settings{
      {"teacher", name_of(teacher)},    {"task", options.env},     {"steps", options.steps},
      {"snapshots", options.snapshots}, {"seed", options.seed},    {"learning_rate", shared.learning_rate},
      {"hidden", shared.hidden},        {"warmup", shared.warmup}, {"train_every", shared.train_every}};
  const Job job{"teacher", settings.dump(), {}, true};
  return bench.store.require(
      job,
      [&](const fs::path& folder) {
        request.out = folder.string();
        train(request, bench.progress);
        for (const char* left_over : {"checkpoint.safetensors", ".lock"}) fs::remove(folder / left_over);
      },
      bench.progress);
}

TrainedPolicy load_policy(const Bench& bench, const Head& head) {
  const Entry entry = train_teacher(bench, head.teacher);
  const std::uint64_t steps = head.steps == 0 ? plan_training(training_of(head.teacher)).options.steps : head.steps;
  TrainedPolicy trained{make_env(task_of(head.teacher), bench.seed), nullptr, entry.digest};
  std::string spec = (entry.folder / fmt::format("snapshot_{:06}.safetensors", steps)).string();
  if (head.boltzmann) spec += ":kind=boltzmann,temperature=1";
  if (head.teacher == Teacher::dqn) spec += ":kind=greedy";
  trained.policy = make_policy(spec, trained.env->task());
  return trained;
}

Rollouts visits(const Bench& bench, const Head& head) {
  const TrainedPolicy trained = load_policy(bench, head);
  const Job job{"visits", head_settings(bench, head, visit_episodes), {trained.digest}};
  const Entry entry = bench.store.require(
      job,
      [&](const fs::path& folder) {
        Rollouts met = rollout(*trained.env, *trained.policy, playing(bench, 1, visit_episodes), bench.progress);
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
  const TrainedPolicy trained = load_policy(bench, head);
  const Job job{"trial", head_settings(bench, head, trial_episodes), {trained.digest}};
  const Entry entry = bench.store.require(
      job,
      [&](const fs::path& folder) {
        Frame frame{{"return"}};
        for (const double earned : trial(bench, *trained.env, *trained.policy)) frame.add({earned});
        write_frame(folder / "returns.csv", frame);
      },
      bench.progress);
  return Rows(read_frame(entry.folder / "returns.csv")).numbers("return");
}

}  // namespace mercer::paper

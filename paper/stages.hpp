#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "run/store.hpp"

namespace mercer::paper {

/// Policies that the experiments embed, trained by this library.
enum class Teacher {
  pendulum_v0,   ///< SAC with the published settings, 5,000 steps, kept after 2, 3, 4 and 5 thousand
  pendulum,      ///< the same in Pendulum-v1, which Gymnasium has today
  mountain_car,  ///< SAC, 25,000 steps of the continuous mountain car
  dqn,           ///< DQN in the discrete mountain car
};
std::string name_of(Teacher teacher);
std::string task_of(Teacher teacher);
/// What stands in the column "env" of a table: the task of a pendulum, "any" for tasks without variants.
std::string env_of(Teacher teacher);
/// The published pendulum and today's.
inline constexpr Teacher pendulums[] = {Teacher::pendulum_v0, Teacher::pendulum};
std::vector<std::string> pendulum_envs();
/// Processor seconds that its training takes, about.
double training_seconds(Teacher teacher);

/// What an experiment is run with. Stages that several experiments need are computed once, through the store.
struct Bench {
  const Store& store;
  std::uint64_t seed = 0;
  bool quick = false;
  const Progress& progress;
  bool first = true;                    ///< of the seeds: what is drawn for one seed only is kept for this one
  std::filesystem::path policies = {};  ///< folder of the repository's policies, tests/data/policies; empty: none
};

/// Trains, or finds, the teacher of the bench's seed. Goes on where a killed process stopped.
Entry train_teacher(const Bench& bench, Teacher teacher);

/// Which policy of a teacher is meant.
struct Head {
  Teacher teacher = Teacher::pendulum_v0;
  std::uint64_t steps = 0;  ///< of training; 0: the last
  bool boltzmann = false;   ///< exp(Q / T) / Z with temperature 1 instead of the actor
};
std::string name_of(const Head& head);  ///< "gaussian", "boltzmann" or "greedy"

/// A policy of a trained teacher, and its task.
struct TrainedPolicy {
  std::shared_ptr<const Env> env;
  std::shared_ptr<const Policy> policy;
  std::string digest;  ///< of the file it comes from
};
TrainedPolicy load_policy(const Bench& bench, const Head& head);

/// Episodes from which lattices are made and visits are counted.
inline constexpr std::size_t visit_episodes = 200;
/// Episodes that judge a policy.
inline constexpr std::size_t trial_episodes = 100;

/// Rollouts of the teacher, `visit_episodes` of them.
Rollouts visits(const Bench& bench, const Head& head);
/// Returns of a policy in `trial_episodes` episodes: the same starts for all policies of a seed, other ones than those
/// of `visits`.
std::vector<double> trial(const Bench& bench, const Env& env, const Policy& policy, Act act = Act::sample);
/// The same of the teacher itself.
std::vector<double> teacher_trial(const Bench& bench, const Head& head);

}  // namespace mercer::paper

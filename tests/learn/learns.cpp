// That learning learns: small networks, a few thousand steps. The full figures are made by `./run teachers`.

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "mercer/train.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

double mean_return(const Env& env, const std::string& policy) {
  RolloutOptions options;
  options.episodes = 50;
  options.act = Act::mean;
  options.keep_steps = false;
  return summarise(rollout(env, *make_policy(policy, env.task()), options).returns).mean;
}

std::vector<double> returns_of_training(const char* task, std::uint64_t steps, const AlgorithmOptions& algorithm) {
  const TemporaryFolder folder;
  const auto env = make_env(task);
  TrainOptions options;
  options.env = task;
  options.steps = steps;
  options.snapshots = {1};
  options.algorithm = algorithm;
  options.folder = folder / "run";
  std::vector<double> means;
  for (const Snapshot& snapshot : train(*env, options).snapshots) {
    means.push_back(mean_return(*env, snapshot.file.string()));
  }
  return means;
}

template <class Options>
Options small() {
  Options options;
  options.hidden = {32, 32};
  options.batch_size = 64;
  return options;
}

// Six to eight seeds were tried for each: the worst of them passes with room to spare.

// Hanging down all the time costs about -1200; swinging up and staying there about -150.
TEST(Learning, sac_swings_the_pendulum_up) {
  const auto means = returns_of_training("pendulum", 8000, small<SacOptions>());
  EXPECT_LT(means.front(), -800);
  EXPECT_GT(means.back(), -300);
}

// A fresh network lets the pole fall after about 10 steps; the best holds it for 500.
TEST(Learning, dqn_balances_the_pole) {
  DqnOptions options = small<DqnOptions>();
  options.target_every = 100;
  options.epsilon_steps = 2000;
  options.decay_updates = 9500;
  const auto means = returns_of_training("cart-pole", 10'000, options);
  EXPECT_LT(means.front(), 60);
  EXPECT_GT(means.back(), 90);
}

// Without control the craft tips over within half a second; six seeds end between 254 and 350 of at most 500.
TEST(Learning, ars_keeps_the_quadrotor_in_the_air) {
  const auto means = returns_of_training("quadrotor", 400'000, ArsOptions{});
  EXPECT_LT(means.front(), 100);
  EXPECT_GT(means.back(), 200);
}

}  // namespace
}  // namespace mercer

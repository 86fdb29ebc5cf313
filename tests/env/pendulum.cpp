#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/golden.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

using std::numbers::pi;

struct After {
  double theta;
  double speed;
  double reward;
};

// Pendulum-v1 as Gymnasium's documentation states it: g = 10, m = l = 1, dt = 0.05, torque to 2, speed to 8.
After plain_step(double theta, double speed, double torque) {
  const double u = std::clamp(torque, -2.0, 2.0);
  double wrapped = std::fmod(theta + pi, 2 * pi);  // takes the sign of the angle: Python's % does not
  wrapped += wrapped < 0 ? pi : -pi;
  const double cost = wrapped * wrapped + 0.1 * speed * speed + 0.001 * u * u;
  const double next = std::clamp(speed + (3 * 10.0 / 2 * std::sin(theta) + 3 * u) * 0.05, -8.0, 8.0);
  return {theta + next * 0.05, next, -cost};
}

TEST(Pendulum, follows_gymnasiums_episodes) {
  const auto env = make_env("pendulum");
  double worst_state = 0, worst_reward = 0, worst_observation = 0;
  for (const int number : {0, 1, 2, 3, 4}) {
    const GoldenEpisode golden(fmt::format("env_pendulum_{}", number));
    SingleEpisode play(*env, golden.initial_state);
    for (std::size_t k = 0; k <= golden.actions.size(); ++k) {
      for (std::size_t d = 0; d < 2; ++d) {
        worst_state = std::max(worst_state, std::abs(play.state()[d] - golden.states[k][d]));
      }
      // Gymnasium's observation is the nearest single-precision number: off by half a unit of its last place, 2^-24
      // of its size, and by what the state is off.
      const std::vector<double> observation = play.observation();
      for (std::size_t d = 0; d < 3; ++d) {
        const double off = std::abs(observation[d] - golden.obs[k][d]);
        EXPECT_LE(off, 0x1p-24 * std::abs(golden.obs[k][d]) + 1e-9) << "episode " << number << " step " << k;
        worst_observation = std::max(worst_observation, off);
      }
      if (k == golden.actions.size()) break;
      worst_reward = std::max(worst_reward, std::abs(play.step({golden.actions[k]}) - golden.rewards[k]));
      EXPECT_FALSE(play.terminated());
    }
    EXPECT_FALSE(golden.terminates);
    EXPECT_EQ(golden.last_step + 1, env->task().time_limit);  // Gymnasium cut the episode off where ours would be
  }
  fmt::print("largest deviation from Gymnasium: state {:.1e}, reward {:.1e}, observation {:.1e} (single precision)\n",
             worst_state, worst_reward, worst_observation);
  EXPECT_LE(worst_state, 1e-9);
  EXPECT_LE(worst_reward, 1e-9);
}

TEST(Pendulum, steps_as_the_definition_says) {
  const auto env = make_env("pendulum");
  double worst = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random({3, Stage::task, i, 0});
    const double theta = 40 * random.uniform() - 20;  // several turns either way
    // A quarter of the states stand at the speed limit, where the clip matters.
    const double speed = i % 4 == 0 ? (i % 8 == 0 ? 8 : -8) : 16 * random.uniform() - 8;
    const double torque = 8 * random.uniform() - 4;  // half of them past the limit of 2
    const After expected = plain_step(theta, speed, torque);
    SingleEpisode play(*env, {theta, speed});
    const double reward = play.step({torque});
    worst = std::max({worst, std::abs(play.state()[0] - expected.theta), std::abs(play.state()[1] - expected.speed),
                      std::abs(reward - expected.reward)});
    const std::vector<double> seen = play.observation();
    worst = std::max({worst, std::abs(seen[0] - std::cos(expected.theta)), std::abs(seen[1] - std::sin(expected.theta)),
                      std::abs(seen[2] - expected.speed)});
  }
  fmt::print("largest deviation from the plain step: {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(Pendulum, worst_reward_is_the_one_declared) {
  const auto env = make_env("pendulum");
  // Hanging down at top speed under full torque: -(pi^2 + 0.1 8^2 + 0.001 2^2) = -16.2736044.
  for (const double theta : {pi, -pi, 3 * pi, -5 * pi}) {
    SingleEpisode play(*env, {theta, -8});
    EXPECT_NEAR(play.step({2}), -16.2736044, 1e-7);
  }
  EXPECT_NEAR(env->task().reward.low, -16.2736044, 1e-7);
  EXPECT_EQ(env->task().reward.high, 0);
  SingleEpisode upright(*env, {0, 0});
  EXPECT_EQ(upright.step({0}), 0);
}

// Rounding must not carry the reward past its bound: angles next to odd multiples of pi are where the wrap turns over.
TEST(Pendulum, reward_stays_inside_its_bounds_at_the_seam) {
  const auto env = make_env("pendulum");
  double lowest = 0;
  for (int turn = -201; turn <= 201; turn += 2) {
    double theta = turn * pi;
    for (int i = 0; i < 40; ++i) theta = std::nextafter(theta, -HUGE_VAL);
    for (int i = 0; i < 80; ++i, theta = std::nextafter(theta, HUGE_VAL)) {
      SingleEpisode play(*env, {theta, 8});
      lowest = std::min(lowest, play.step({2}));
    }
  }
  fmt::print("lowest reward at the seam: {} of {}, slack {:.1e}\n", lowest, env->task().reward.low,
             lowest - env->task().reward.low);
  EXPECT_GE(lowest, env->task().reward.low);
}

}  // namespace
}  // namespace mercer

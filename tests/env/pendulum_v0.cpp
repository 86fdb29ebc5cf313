#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

// Gym's Pendulum-v0: the new speed moves the angle first and is clipped to 8 afterwards. g = 10, m = l = 1, dt = 0.05.
void plain_step_v0(double& theta, double& speed, double torque) {
  const double u = std::min(2.0, std::max(-2.0, torque));
  const double pushed = speed + (-3 * 10.0 / 2 * std::sin(theta + std::numbers::pi) + 3 * u) * 0.05;
  theta = theta + pushed * 0.05;
  speed = std::min(8.0, std::max(-8.0, pushed));
}

TEST(PendulumV0, moves_the_angle_before_it_clips_the_speed) {
  const auto v0 = make_env("pendulum-v0");
  const auto v1 = make_env("pendulum");
  double worst = 0;
  int clipped = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random({4, Stage::task, i, 0});
    const double theta = 40 * random.uniform() - 20;
    const double speed = i % 2 == 0 ? 16 * random.uniform() - 8 : (i % 4 == 1 ? 7.9 : -7.9);  // half near the limit
    const double torque = 8 * random.uniform() - 4;
    double expected_theta = theta, expected_speed = speed;
    plain_step_v0(expected_theta, expected_speed, torque);
    SingleEpisode play(*v0, {theta, speed}), other(*v1, {theta, speed});
    const double reward = play.step({torque});
    worst = std::max({worst, std::abs(play.state()[0] - expected_theta), std::abs(play.state()[1] - expected_speed)});

    EXPECT_EQ(reward, other.step({torque}));  // the two differ in nothing but the angle after a clip
    EXPECT_EQ(play.state()[1], other.state()[1]);
    if (std::abs(expected_speed) < 8) {
      EXPECT_EQ(play.state()[0], other.state()[0]);
    } else {
      ++clipped;
      EXPECT_GT(std::abs(play.state()[0] - theta), std::abs(other.state()[0] - theta));
    }
  }
  fmt::print("largest deviation from the plain step: {:.1e}; the clip mattered in {} of 20000\n", worst, clipped);
  EXPECT_LE(worst, 1e-12);
  EXPECT_GT(clipped, 2000);
}

// A hand-worked case: at the right, going right at the limit, torque 2. The push is 8 + (15 sin 1 + 6) 0.05.
TEST(PendulumV0, one_step_by_hand) {
  const auto v0 = make_env("pendulum-v0");
  const auto v1 = make_env("pendulum");
  SingleEpisode play(*v0, {1, 8});
  play.step({2});
  EXPECT_NEAR(play.state()[0], 1 + (8 + (15 * 0.8414709848078965 + 6) * 0.05) * 0.05, 1e-14);
  EXPECT_EQ(play.state()[1], 8);
  SingleEpisode newer(*v1, {1, 8});
  newer.step({2});
  EXPECT_NEAR(newer.state()[0], 1.4, 1e-14);  // 1 + 8 * 0.05
}

}  // namespace
}  // namespace mercer

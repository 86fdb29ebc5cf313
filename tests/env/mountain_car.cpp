#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/golden.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

TEST(MountainCar, follows_gymnasiums_episodes) {
  const auto env = make_env("mountain-car");
  double worst = 0;
  int steps = 0, different = 0;
  for (const int number : {0, 1, 2, 3, 4}) {
    const GoldenEpisode golden(fmt::format("env_mc_{}", number));
    SingleEpisode play(*env, golden.initial_state);
    for (std::size_t k = 0; k < golden.actions.size(); ++k, ++steps) {
      EXPECT_EQ(play.step({golden.actions[k]}), golden.rewards[k]);
      ASSERT_EQ(play.terminated(), golden.terminates && k == golden.last_step) << "episode " << number << " step " << k;
      for (std::size_t d = 0; d < 2; ++d) {
        worst = std::max(worst, std::abs(play.state()[d] - golden.obs[k + 1][d]));
        different += static_cast<float>(play.state()[d]) != static_cast<float>(golden.obs[k + 1][d]);
      }
    }
    ASSERT_EQ(play.steps(), golden.last_step + 1);
    EXPECT_TRUE(golden.terminates || play.steps() == env->task().time_limit);
  }
  fmt::print(
      "{} steps: largest deviation from Gymnasium's single-precision observations {:.1e}; {} numbers differ "
      "after rounding to single precision\n",
      steps, worst, different);
  EXPECT_LE(worst, 1e-6);
  EXPECT_EQ(different, 0);
}

// The published step, with the C library's cosine: force 0.001, gravity 0.0025, speed to 0.07, position -1.2 to 0.6.
TEST(MountainCar, steps_as_the_definition_says) {
  const auto env = make_env("mountain-car");
  double worst = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random({5, Stage::task, i, 0});
    const double position = -1.2 + 1.8 * random.uniform();
    const double speed = 0.14 * random.uniform() - 0.07;
    const double action = std::floor(3 * random.uniform());
    double v = std::clamp(speed + (action - 1) * 0.001 - 0.0025 * std::cos(3 * position), -0.07, 0.07);
    const double x = std::clamp(position + v, -1.2, 0.6);
    if (x == -1.2 && v < 0) v = 0;
    SingleEpisode play(*env, {position, speed});
    EXPECT_EQ(play.step({action}), -1);
    EXPECT_EQ(play.terminated(), x >= 0.5 && v >= 0);
    worst = std::max({worst, std::abs(play.state()[0] - x), std::abs(play.state()[1] - v)});
  }
  fmt::print("largest deviation from the plain step: {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-15);  // positions and speeds are below 2: a few units in the last place
}

}  // namespace
}  // namespace mercer

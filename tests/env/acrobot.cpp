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

double largest(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t d = 0; d < a.size(); ++d) worst = std::max(worst, std::abs(a[d] - b[d]));
  return worst;
}

// Episodes of acrobot_twin.py, in numpy.
TEST(Acrobot, each_step_is_that_of_the_twin) {
  const auto env = make_env("acrobot");
  double worst = 0;
  for (const int number : {0, 1, 2, 3, 4}) {
    const GoldenEpisode golden(fmt::format("env_acrobot_{}", number));
    for (std::size_t k = 0; k < golden.actions.size(); ++k) {
      SingleEpisode play(*env, golden.states[k]);
      worst = std::max(worst, largest(play.observation(), golden.obs[k]));
      EXPECT_EQ(play.step({golden.actions[k]}), golden.rewards[k]);
      worst = std::max(worst, largest(play.state(), golden.states[k + 1]));
      EXPECT_EQ(play.terminated(), golden.terminates && k == golden.last_step) << "episode " << number << " step " << k;
    }
  }
  fmt::print("largest deviation of a step from the twin: {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-12);
}

// The motion is chaotic: what rounding changes grows about e-fold in a second, five steps.
TEST(Acrobot, follows_the_episodes_of_the_twin) {
  const auto env = make_env("Acrobot-v1");
  double worst = 0;
  for (const int number : {0, 1, 2}) {
    const GoldenEpisode golden(fmt::format("env_acrobot_{}", number));
    SingleEpisode play(*env, golden.initial_state);
    for (std::size_t k = 0; k < golden.actions.size(); ++k) {
      EXPECT_EQ(play.step({golden.actions[k]}), golden.rewards[k]);
      worst = std::max(worst, largest(play.state(), golden.states[k + 1]));
    }
    EXPECT_EQ(play.terminated(), golden.terminates);
  }
  fmt::print("largest deviation of an episode from the twin: {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-9);
}

TEST(Acrobot, declares_gymnasiums_contract) {
  const auto env = make_env("acrobot");
  const Task& task = env->task();
  EXPECT_EQ(task.time_limit, 500);
  EXPECT_EQ(task.dt, 0.2);
  EXPECT_EQ(task.action.count, 3);
  EXPECT_EQ(task.observation.dimensions(), 6);
  EXPECT_DOUBLE_EQ(task.observation.axes[4].range.high, 4 * pi);
  EXPECT_DOUBLE_EQ(task.observation.axes[5].range.high, 9 * pi);
  EXPECT_EQ(task.ending, Ending::goal);
  EXPECT_EQ(env->return_range(500).low, -500);
  EXPECT_EQ(env->return_range(500).high, 0);
}

TEST(Acrobot, figure_shows_both_links) {
  const auto env = make_env("acrobot");
  const Figure figure = env->figure(std::vector<double>{pi / 2, pi / 2, 0, 0});
  ASSERT_EQ(figure.sticks.size(), 3);
  EXPECT_EQ(figure.views, std::vector{Viewpoint::side});
  EXPECT_NEAR(figure.sticks[0].to[0], 1, 1e-15);  // level, to the right
  EXPECT_NEAR(figure.sticks[1].to[0], 1, 1e-15);  // then straight up
  EXPECT_NEAR(figure.sticks[1].to[2], 1, 1e-15);
  EXPECT_TRUE(figure.sticks[2].fixed);
}

}  // namespace
}  // namespace mercer

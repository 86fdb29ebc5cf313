#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/golden.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

// Gymnasium keeps this car's state in single precision after every step, so equality to the bit can be asked for.
TEST(ContinuousMountainCar, follows_gymnasiums_episodes_bit_for_bit) {
  const auto env = make_env("continuous-mountain-car");
  std::size_t steps = 0;
  for (const int number : {0, 1, 2, 3, 4}) {
    const GoldenEpisode golden(fmt::format("env_cmc_{}", number));
    SingleEpisode play(*env, golden.initial_state);
    for (std::size_t k = 0; k < golden.actions.size(); ++k, ++steps) {
      const double reward = play.step({golden.actions[k]});  // not clipped: the task charges an action as it came
      ASSERT_EQ(play.state(), golden.obs[k + 1]) << "episode " << number << " step " << k;
      ASSERT_EQ(play.observation(), golden.obs[k + 1]);
      ASSERT_EQ(reward, golden.rewards[k]) << "episode " << number << " step " << k;
      ASSERT_EQ(play.terminated(), golden.terminates && k == golden.last_step) << "episode " << number;
    }
    ASSERT_EQ(play.steps(), golden.last_step + 1);
    EXPECT_TRUE(golden.terminates || play.steps() == env->task().time_limit);
  }
  fmt::print("{} steps equal to Gymnasium's bit for bit\n", steps);
}

TEST(ContinuousMountainCar, charges_the_action_and_clips_the_force) {
  const auto env = make_env("continuous-mountain-car");
  SingleEpisode strong(*env, {-0.5, 0}), full(*env, {-0.5, 0});
  EXPECT_DOUBLE_EQ(strong.step({3}), -0.9);  // -0.1 * 3^2
  EXPECT_DOUBLE_EQ(full.step({1}), -0.1);
  EXPECT_EQ(strong.state(), full.state());
}

TEST(ContinuousMountainCar, needs_the_goal_and_a_forward_speed) {
  const auto env = make_env("continuous-mountain-car");
  SingleEpisode arrives(*env, {0.449, 0.01});  // 0.459 and a little: past the goal at 0.45
  EXPECT_EQ(arrives.step({0}), 100);
  EXPECT_TRUE(arrives.terminated());
  SingleEpisode short_of_it(*env, {0.43, 0.01});
  EXPECT_EQ(short_of_it.step({0}), 0);
  EXPECT_FALSE(short_of_it.terminated());
  SingleEpisode backwards(*env, {0.5, -0.01});  // beyond the goal, rolling back
  EXPECT_EQ(backwards.step({0}), 0);
  EXPECT_FALSE(backwards.terminated());
}

TEST(ContinuousMountainCar, the_left_wall_stops_the_car) {
  const auto env = make_env("continuous-mountain-car");
  SingleEpisode play(*env, {-1.19, -0.07});
  play.step({-1});
  EXPECT_EQ(play.state()[0], -1.2F);
  EXPECT_EQ(play.state()[1], 0);
}

}  // namespace
}  // namespace mercer

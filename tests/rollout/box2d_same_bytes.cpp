#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {
namespace {

class Box2DBatches : public testing::TestWithParam<const char*> {};

TEST_P(Box2DBatches, do_not_change_a_bit) {
  const auto env = make_env(GetParam());
  const UniformPolicy policy(env->task());
  const auto play = [&](std::size_t threads, std::size_t batch) {
    const ThreadLimit limit(threads);
    return rollout(*env, policy, {.episodes = 70, .seed = 3, .batch = batch, .horizon = 150});
  };
  const Rollouts expected = play(1, 1);
  EXPECT_GT(expected.steps(), 3000);
  for (const std::size_t threads : {1, 2}) {
    for (const std::size_t batch : {1, 7, 64}) {
      const Rollouts found = play(threads, batch);
      EXPECT_TRUE(found.states == expected.states && found.observations == expected.observations &&
                  found.rewards == expected.rewards && found.offsets == expected.offsets &&
                  found.terminated == expected.terminated)
          << threads << " threads, batch " << batch;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Tasks, Box2DBatches,
                         testing::Values("lunar-lander", "lunar-lander-continuous:main_engine=0.5..1.5",
                                         "bipedal-walker"));

// Nothing but the column matters: an episode that goes on from a copy of it in another Env takes the same steps.
TEST(Box2DColumns, hold_all_of_an_episode) {
  for (const char* name : {"lunar-lander-continuous", "bipedal-walker"}) {
    const auto env = make_env(name), other = make_env(name);
    const std::uint64_t item = 5;
    const std::vector<double> action(env->task().action.dimensions(), 0.6);
    std::vector<double> column(env->rows()), copy;
    double reward = 0, reward_there = 0;
    std::uint8_t end = 0, end_there = 0;
    const auto step = [&](const Env& in, std::vector<double>& of, std::uint32_t t, double& r, std::uint8_t& e) {
      in.step({of.data(), of.size(), 1}, {action.data(), action.size(), 1}, {3, Stage::transition, t, {&item, 1}},
              {&r, 1}, {&e, 1});
    };
    env->reset({3, Stage::start, 0, {&item, 1}}, {column.data(), column.size(), 1});
    for (std::uint32_t t = 0; t < 40; ++t) step(*env, column, t, reward, end);
    copy = column;
    for (std::uint32_t t = 40; t < 60; ++t) {
      step(*env, column, t, reward, end);
      step(*other, copy, t, reward_there, end_there);
      ASSERT_EQ(reward, reward_there);
      ASSERT_EQ(column, copy);
    }
  }
}

}  // namespace
}  // namespace mercer

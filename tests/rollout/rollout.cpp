#include "mercer/rollout.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "support/function_policy.hpp"
#include "support/plain_rollout.hpp"

namespace mercer {
namespace {

TEST(Rollout, agrees_with_the_plain_loop_bit_for_bit) {
  for (const char* spec : {"pendulum", "pendulum-v0", "continuous-mountain-car", "mountain-car", "cart-pole", "acrobot",
                           "turntable", "noisy-bandit", "chain:alpha=0.7", "quadrotor", "quadrotor:goal=waypoints"}) {
    const auto env = make_env(spec, 1);
    const Range range = env->task().action.axes[0].range;
    const bool discrete = env->task().action.is_discrete();
    const FunctionPolicy noisy("noisy", env->task(), [&](std::span<const double> observation, double noise) {
      // Outside the box at times, where it must be clipped; a function of what is seen everywhere.
      if (!discrete) return range.high * (2 * noise + observation.back());
      return std::clamp(std::floor((noise + 1) / 2 * (range.high + 1) + 0.1 * observation[0]), range.low, range.high);
    });
    for (const Act act : {Act::sample, Act::mean}) {
      for (const std::optional<std::uint32_t> horizon : {std::optional<std::uint32_t>{}, {std::optional{30U}}}) {
        const RolloutOptions options{
            .episodes = 23, .seed = 17, .batch = 5, .act = act, .gamma = 0.9, .horizon = horizon};
        expect_same_numbers(rollout(*env, noisy, options), plain_rollout(*env, noisy, options), spec);
      }
    }
  }
}

TEST(Rollout, says_what_was_played) {
  const auto env = make_env("pendulum");
  const Rollouts r = rollout(*env, UniformPolicy(env->task()), {.episodes = 3, .seed = 8, .gamma = 0.5});
  EXPECT_EQ(r.env, "pendulum");
  EXPECT_EQ(r.policy, "uniform");
  EXPECT_EQ(r.seed, 8);
  EXPECT_EQ(r.gamma, 0.5);
  EXPECT_FALSE(r.discrete_actions);
  EXPECT_EQ(r.state_names, (std::vector<std::string>{"theta", "speed"}));
  EXPECT_EQ(r.observation_names, (std::vector<std::string>{"cos_theta", "sin_theta", "speed"}));
  EXPECT_EQ(r.action_names, (std::vector<std::string>{"torque"}));
  EXPECT_EQ(r.episodes(), 3);
  EXPECT_EQ(r.steps(), 600);  // 3 episodes of 200 steps
  EXPECT_TRUE(r.has_steps());
}

TEST(Rollout, arrays_belong_together) {
  const auto env = make_env("cart-pole");
  const Rollouts r = rollout(*env, UniformPolicy(env->task()), {.episodes = 200, .seed = 9, .gamma = 0.97});
  ASSERT_EQ(r.episodes(), 200);
  ASSERT_EQ(r.states.size(), r.steps() * 4);
  ASSERT_EQ(r.observations.size(), r.steps() * 4);
  ASSERT_EQ(r.actions.size(), r.steps());
  ASSERT_EQ(r.rewards.size(), r.steps());
  EXPECT_EQ(r.observations, r.states);  // cart-pole shows its whole state
  EXPECT_TRUE(r.discrete_actions);
  std::set<std::int64_t> lengths;
  for (std::size_t e = 0; e < 200; ++e) {
    const auto begin = static_cast<std::size_t>(r.offsets[e]), end = static_cast<std::size_t>(r.offsets[e + 1]);
    lengths.insert(r.offsets[e + 1] - r.offsets[e]);
    double total = 0, discounted = 0;
    for (std::size_t t = end; t-- > begin;) discounted = r.rewards[t] + 0.97 * discounted;  // by Horner's rule
    for (std::size_t t = begin; t < end; ++t) total += r.rewards[t];
    EXPECT_EQ(r.returns[e], total);
    EXPECT_NEAR(r.discounted_returns[e], discounted, 1e-12);
    for (std::size_t d = 0; d < 4; ++d) EXPECT_EQ(r.start_states[e * 4 + d], r.states[begin * 4 + d]);
    EXPECT_EQ(r.terminated[e], 1);
    EXPECT_TRUE(std::abs(r.final_observations[e * 4]) > 2.4 || std::abs(r.final_observations[e * 4 + 2]) > 0.2094)
        << "an episode that ended by itself ends past a limit";
  }
  EXPECT_GT(lengths.size(), 20) << "random play falls at many different times";
}

TEST(Rollout, tells_termination_from_the_time_limit) {
  const auto env = make_env("cart-pole");
  const UniformPolicy policy(env->task());
  const Rollouts r = rollout(*env, policy, {.episodes = 300, .seed = 9, .horizon = 20});
  const auto ended = static_cast<std::size_t>(std::ranges::count(r.terminated, 1));
  EXPECT_GT(ended, 50);  // random play lasts about 22 steps
  EXPECT_LT(ended, 250);
  for (std::size_t e = 0; e < 300; ++e) {
    EXPECT_LE(r.returns[e], 20);
    EXPECT_TRUE(r.terminated[e] == 1 || r.returns[e] == 20);
  }
}

// States 0 -> 1 -> 2, where 2 ends the episode: two steps, whatever is done.
TEST(Rollout, terminal_states_end_episodes) {
  const TabularEnv env("walk", {3, 1, {0, 1, 0, 0, 0, 1, 0, 0, 1}, {1, 2, 4}, {1, 0, 0}, 0.5, 10, {0, 0, 1}});
  const Rollouts r = rollout(env, TabularPolicy("only", 3, 1, {1, 1, 1}), {.episodes = 2});
  EXPECT_EQ(r.offsets, (std::vector<std::int64_t>{0, 2, 4}));
  EXPECT_EQ(r.returns, (std::vector<double>{3, 3}));
  EXPECT_EQ(r.discounted_returns, (std::vector<double>{2, 2}));  // 1 + 0.5 * 2, by the task's own discount
  EXPECT_EQ(r.terminated, (std::vector<std::uint8_t>{1, 1}));
  EXPECT_EQ(r.final_observations, (std::vector<double>{2, 2}));
}

TEST(Rollout, without_steps_gives_the_same_returns) {
  for (const char* spec : {"cart-pole", "pendulum"}) {
    const auto env = make_env(spec);
    const UniformPolicy policy(env->task());
    const Rollouts all = rollout(*env, policy, {.episodes = 50, .seed = 2});
    const Rollouts few = rollout(*env, policy, {.episodes = 50, .seed = 2, .keep_steps = false});
    EXPECT_EQ(few.returns, all.returns);
    EXPECT_EQ(few.discounted_returns, all.discounted_returns);
    EXPECT_EQ(few.offsets, all.offsets);
    EXPECT_EQ(few.start_states, all.start_states);
    EXPECT_EQ(few.final_observations, all.final_observations);
    EXPECT_EQ(few.terminated, all.terminated);
    EXPECT_TRUE(few.states.empty() && few.observations.empty() && few.actions.empty() && few.rewards.empty());
    EXPECT_FALSE(few.has_steps());
  }
}

}  // namespace
}  // namespace mercer

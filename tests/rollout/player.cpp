#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/rollout.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

double spread(const std::vector<Outcome>& a, const std::vector<Outcome>& b) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = a[i].total - b[i].total;
    sum += apart;
    squares += apart * apart;
  }
  const double count = static_cast<double>(a.size());
  return std::sqrt(squares / count - sum * sum / (count * count));
}

FunctionPolicy pull(const Task& task, double gain) {
  return {"pull", task, [gain](std::span<const double> seen, double noise) {
            return std::clamp(gain * (-8 * seen[1] - seen[2]) + 0.1 * noise, -2.0, 2.0);
          }};
}

TEST(EnvPlayer, outcomes_are_those_of_rollout) {
  const auto env = make_env("continuous-mountain-car", 0);  // episodes end at different steps, some by the time limit
  const FunctionPolicy policy = pumping_policy(env->task());
  const EnvPlayer player(*env);
  for (const Act act : {Act::sample, Act::mean}) {
    const Episodes episodes{.count = 40, .seed = 5, .act = act, .gamma = 0.9, .horizon = 110};
    const RolloutOptions options{.episodes = 40, .seed = 5, .act = act, .gamma = 0.9, .horizon = 110};
    const Rollouts expected = rollout(*env, policy, options);
    const std::vector<Outcome> outcomes = player.play(policy, episodes);
    ASSERT_EQ(outcomes.size(), 40u);
    std::set<bool> ends;
    for (std::size_t e = 0; e < outcomes.size(); ++e) {
      EXPECT_EQ(outcomes[e].total, expected.returns[e]);
      EXPECT_EQ(outcomes[e].discounted, expected.discounted_returns[e]);
      EXPECT_EQ(outcomes[e].steps, static_cast<std::size_t>(expected.offsets[e + 1] - expected.offsets[e]));
      EXPECT_EQ(outcomes[e].terminated, expected.terminated[e] == 1);
      ends.insert(outcomes[e].terminated);
    }
    EXPECT_EQ(ends.size(), 2u);  // so both kinds were compared
    EXPECT_EQ(returns_of(outcomes), expected.returns);
    EXPECT_EQ(returns_of(outcomes, 0.9), expected.discounted_returns);
    const Rollouts kept = player.roll_out(policy, episodes);
    EXPECT_EQ(kept.observations, expected.observations);
    EXPECT_EQ(kept.actions, expected.actions);
  }
}

TEST(EnvPlayer, knows_its_task_and_the_range_of_returns) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  EXPECT_EQ(player.env(), env.get());
  EXPECT_EQ(player.task().name, "pendulum");
  EXPECT_TRUE(player.parallel());
  EXPECT_EQ(player.return_range(10)->low, env->return_range(10).low);
  // Rewards of at least r at a discount of g sum up to r (1 - g^T) / (1 - g) or more.
  EXPECT_NEAR(player.return_range(10, 0.5)->low, env->task().reward.low * (2 - std::pow(0.5, 9)), 1e-12);
}

// Meeting the same starts and noise, two policies that are alike differ far less than on episodes of their own.
TEST(EnvPlayer, policies_on_the_same_episodes_vary_less_than_on_others) {
  const auto env = make_env("pendulum", 0);
  const EnvPlayer player(*env);
  const FunctionPolicy teacher = pull(env->task(), 1), student = pull(env->task(), 0.98);
  const Episodes one{.count = 400, .seed = 1}, other{.count = 400, .seed = 2};
  const std::vector<Outcome> reference = player.play(teacher, one);
  EXPECT_EQ(returns_of(player.play(teacher, one)), returns_of(reference));
  EXPECT_LT(spread(reference, player.play(student, one)), 0.5 * spread(reference, player.play(student, other)));
}

TEST(ResetSeed, small_seeds_count_on_from_their_multiple_of_2_to_20) {
  EXPECT_EQ(reset_seed(0, 0), 0u);
  EXPECT_EQ(reset_seed(0, 7), 7u);
  EXPECT_EQ(reset_seed(3, 2), 3u * (1u << 20) + 2);
  EXPECT_EQ(reset_seed(2047, (1 << 20) - 1), 0x7FFFFFFFu);
}

TEST(ResetSeed, derived_seeds_share_no_episode_with_each_other_or_with_themselves) {
  std::set<std::uint32_t> seen;
  std::size_t asked = 0;
  for (std::uint64_t seed = 2048; seed < 2048 + 300; ++seed) {
    for (const std::uint64_t own : {seed, seed << 40}) {
      std::set<std::uint32_t> of_seed;
      for (std::uint64_t episode = 0; episode < 40; ++episode) of_seed.insert(reset_seed(own, episode));
      EXPECT_EQ(of_seed.size(), 40u);
      seen.insert(of_seed.begin(), of_seed.end());
      asked += 40;
    }
  }
  // 24,000 draws from 2^31: chance alone makes 0.13 pairs.
  EXPECT_GE(seen.size() + 2, asked);
  EXPECT_LT(*seen.rbegin(), std::uint32_t{1} << 31);
  EXPECT_GT(*seen.rbegin(), std::uint32_t{1} << 30);
}

}  // namespace
}  // namespace mercer

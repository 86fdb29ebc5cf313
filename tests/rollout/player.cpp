#include <algorithm>
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

// A task whose rewards have no bounds.
class Unbounded : public Env {
 public:
  Unbounded() : Env(make()) {}
  void reset(const Draws& draws, MatrixView<double> state) const override { draws.fill_uniform(state.row(0)); }
  void step(MatrixView<double> state, MatrixView<const double>, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::copy(state.row(0), reward.begin());
    std::ranges::fill(terminated, 1);
  }

 private:
  static Task make() {
    Task task;
    task.name = "unbounded";
    task.state = task.observation = Space::box({{"u", {0, 1}, "", false}});
    task.action = Space::box({{"a", {-1, 1}, "", false}});
    task.reward = {-1, HUGE_VAL};
    return task;
  }
};

TEST(EnvPlayer, a_range_of_returns_with_an_infinite_bound_is_unknown) {
  const Unbounded env;
  EXPECT_FALSE(EnvPlayer(env).return_range(10));
  EXPECT_FALSE(EnvPlayer(env).return_range(10, 0.9));
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

// Seeds that people type and those that a search derives, as many pairs of equal numbers as chance makes among them.
TEST(ResetSeed, seeds_share_episodes_only_by_chance) {
  constexpr std::uint64_t episodes = 64;
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 4096; ++seed) seeds.push_back(seed);
  for (std::uint64_t i = 0; i < 300; ++i) seeds.push_back(Random({i, Stage::search, 3, 0}).bits());
  std::vector<std::uint32_t> numbers;
  for (const std::uint64_t seed : seeds) {
    std::set<std::uint32_t> of_seed;
    for (std::uint64_t episode = 0; episode < episodes; ++episode) of_seed.insert(reset_seed(seed, episode));
    EXPECT_EQ(of_seed.size(), episodes) << seed;
    numbers.insert(numbers.end(), of_seed.begin(), of_seed.end());
  }
  std::ranges::sort(numbers);
  std::size_t pairs = 0;
  for (std::size_t i = 1; i < numbers.size(); ++i) pairs += numbers[i] == numbers[i - 1] ? 1 : 0;
  // Of 281,344 numbers 150,272 are drawn from 2^31, so that 14.4 pairs are expected, with a deviation of 3.8.
  EXPECT_LE(pairs, 33u);
}

TEST(ResetSeed, no_episode_of_a_seed_repeats_up_to_the_last) {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{2047}, std::uint64_t{2048}, ~std::uint64_t{0}}) {
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t episode = 0; episode < std::uint64_t{1} << 20; ++episode) {
      numbers.push_back(reset_seed(seed, episode));
    }
    std::ranges::sort(numbers);
    EXPECT_EQ(std::ranges::adjacent_find(numbers), numbers.end()) << seed;
  }
}

}  // namespace
}  // namespace mercer

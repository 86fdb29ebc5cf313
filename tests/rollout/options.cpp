#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/plain_task.hpp"

namespace mercer {
namespace {

class Options : public testing::Test {
 protected:
  Rollouts play(const RolloutOptions& options) { return rollout(*env_, policy_, options); }
  void refused(const std::string& part, const RolloutOptions& options) {
    expect_error(ErrorCode::out_of_range, part, [&] { play(options); });
  }

  std::unique_ptr<Env> env_ = make_env("pendulum");
  UniformPolicy policy_{env_->task()};
};

TEST_F(Options, are_checked_against_their_ranges) {
  refused("episodes is 0; legal: 1 to 1000000000", {.episodes = 0});
  refused("episodes is 1000000001", {.episodes = 1000000001});
  refused("batch is 1048577; legal: 0 to 1048576", {.batch = (1 << 20) + 1});
  refused("gamma is 1.5; legal: 0 to 1", {.gamma = 1.5});
  refused("gamma is -0.1", {.gamma = -0.1});
  refused("gamma is nan", {.gamma = NAN});
  refused("horizon is 0; legal: 1 to 1000000000", {.horizon = 0});
  refused("horizon is 4000000000", {.horizon = 4000000000});
}

TEST_F(Options, horizon_replaces_the_tasks) {
  EXPECT_EQ(play({.episodes = 3, .horizon = 7}).offsets, (std::vector<std::int64_t>{0, 7, 14, 21}));
  EXPECT_EQ(play({.episodes = 1, .horizon = 250}).steps(), 250);  // past the task's own limit of 200
  EXPECT_EQ(play({.episodes = 1, .horizon = 1}).steps(), 1);
}

// A longer episode begins as a shorter one: nothing in a step depends on where it will be cut off.
TEST_F(Options, a_shorter_horizon_is_a_prefix) {
  const Rollouts whole = play({.episodes = 1, .seed = 5}), part = play({.episodes = 1, .seed = 5, .horizon = 50});
  EXPECT_TRUE(std::equal(part.rewards.begin(), part.rewards.end(), whole.rewards.begin()));
  EXPECT_TRUE(std::equal(part.states.begin(), part.states.end(), whole.states.begin()));
  EXPECT_EQ(part.final_observations[0], whole.observations[50 * 3]);
}

// Fewer episodes are the first of more.
TEST_F(Options, fewer_episodes_are_the_first_of_more) {
  const Rollouts many = play({.episodes = 20, .seed = 5}), few = play({.episodes = 3, .seed = 5});
  EXPECT_TRUE(std::equal(few.rewards.begin(), few.rewards.end(), many.rewards.begin()));
  EXPECT_TRUE(std::equal(few.returns.begin(), few.returns.end(), many.returns.begin()));
}

TEST_F(Options, discount_zero_keeps_the_first_reward_and_one_keeps_all) {
  const Rollouts none = play({.episodes = 4, .gamma = 0}), all = play({.episodes = 4, .gamma = 1});
  EXPECT_EQ(all.discounted_returns, all.returns);
  for (std::size_t e = 0; e < 4; ++e) EXPECT_EQ(none.discounted_returns[e], none.rewards[e * 200]);
  EXPECT_EQ(play({.episodes = 1}).gamma, env_->task().gamma);
}

TEST_F(Options, a_mean_action_draws_nothing) {
  const Rollouts r = play({.episodes = 2, .act = Act::mean});
  for (const double action : r.actions) ASSERT_EQ(action, 0);  // the middle of -2 to 2
}

TEST_F(Options, the_policy_must_fit_the_task) {
  expect_error(ErrorCode::shape_mismatch, "takes 2 observations and task 'pendulum' gives 3",
               [&] { rollout(*env_, UniformPolicy(plain_task(2, env_->task().action)), {}); });
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which end the program at such a request
// 2^20 episodes of up to 10^9 steps: 17 petabytes for their states alone, more than any process can address.
TEST_F(Options, more_steps_than_memory_is_an_error) {
  expect_error(ErrorCode::too_large, "1048576 episodes of up to 1000000000 steps",
               [&] { play({.episodes = 1 << 20, .batch = 1 << 20, .horizon = 1000000000}); });
}
#endif

}  // namespace
}  // namespace mercer

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/plain_rollout.hpp"

namespace mercer {
namespace {

TEST(Rollouts, append_puts_episodes_after_each_other) {
  const auto env = make_env("cart-pole");
  const UniformPolicy policy(env->task());
  const Rollouts one = rollout(*env, policy, {.episodes = 3, .seed = 1});
  const Rollouts two = rollout(*env, policy, {.episodes = 2, .seed = 2});
  Rollouts all = one;
  append(all, two);
  ASSERT_EQ(all.episodes(), 5);
  ASSERT_EQ(all.steps(), one.steps() + two.steps());
  EXPECT_TRUE(all.has_steps());
  EXPECT_EQ(all.offsets[3], one.offsets[3]);
  EXPECT_EQ(all.offsets[4] - all.offsets[3], two.offsets[1]);
  EXPECT_EQ(all.states[one.steps() * 4], two.states[0]);
  EXPECT_EQ(all.returns[3], two.returns[0]);
  EXPECT_EQ(all.final_observations[3 * 4], two.final_observations[0]);

  Rollouts same = one;
  append(same, Rollouts{});
  expect_same_numbers(same, one, "nothing appended");
}

TEST(Rollouts, none_at_all) {
  const Rollouts none;
  EXPECT_EQ(none.episodes(), 0);
  EXPECT_EQ(none.steps(), 0);
}

TEST(Rollouts, the_ending_says_how_they_are_stored) {
  check_rollouts_path("a.npz");
  check_rollouts_path("folder.x/a.csv");
  for (const char* name : {"a.txt", "a", "a.npz.gz", "csv"}) {
    expect_error(ErrorCode::bad_value, "ends neither in .npz nor in .csv", [=] { check_rollouts_path(name); });
    expect_error(ErrorCode::bad_value, name, [=] { write_rollouts(name, Rollouts{}); });
    expect_error(ErrorCode::bad_value, name, [=] { read_rollouts(name); });
  }
}

}  // namespace
}  // namespace mercer

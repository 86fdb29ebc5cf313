#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

TEST(Starts, given_states_are_used_in_turn) {
  const auto env = make_env("pendulum");
  const UniformPolicy policy(env->task());
  const std::vector<double> given{0.1, 0.2, -1, 3, 2.5, -0.5};  // three rows
  for (const std::size_t batch : {1, 2, 64}) {
    const Rollouts r = rollout(*env, policy, {.episodes = 8, .batch = batch, .horizon = 3, .start_states = given});
    for (std::size_t e = 0; e < 8; ++e) {
      for (std::size_t d = 0; d < 2; ++d) {
        EXPECT_EQ(r.start_states[e * 2 + d], given[e % 3 * 2 + d]);
        EXPECT_EQ(r.states[e * 3 * 2 + d], given[e % 3 * 2 + d]);
      }
    }
    EXPECT_NE(r.returns[0], r.returns[3]) << "the same start, but an episode of its own";
  }
}

TEST(Starts, two_policies_meet_the_same_starts_and_noise) {
  const auto env = make_env("cart-pole");
  const UniformPolicy one(env->task());
  const FunctionPolicy other("left", env->task(), [](std::span<const double>, double) { return 0.0; });
  const RolloutOptions options{.episodes = 50, .seed = 4};
  EXPECT_EQ(rollout(*env, one, options).start_states, rollout(*env, other, options).start_states);

  // On a slippery chain, always right and always right again slip at the same steps.
  const auto chain = make_env("chain:alpha=0.6");
  const FunctionPolicy right("right", chain->task(), [](std::span<const double>, double) { return 1.0; });
  const FunctionPolicy noisy("noisy", chain->task(), [](std::span<const double>, double n) { return n < 2 ? 1.0 : 0; });
  EXPECT_EQ(rollout(*chain, right, options).states, rollout(*chain, noisy, options).states);
}

TEST(Starts, drawn_states_differ_between_episodes_and_seeds) {
  const auto env = make_env("pendulum");
  const UniformPolicy policy(env->task());
  const Rollouts a = rollout(*env, policy, {.episodes = 20, .seed = 1, .horizon = 1});
  const Rollouts b = rollout(*env, policy, {.episodes = 20, .seed = 2, .horizon = 1});
  for (std::size_t e = 0; e < 20; ++e) {
    EXPECT_NE(a.start_states[e * 2], b.start_states[e * 2]);
    for (std::size_t f = 0; f < e; ++f) EXPECT_NE(a.start_states[e * 2], a.start_states[f * 2]);
  }
}

TEST(Starts, refuses_states_that_do_not_fit) {
  const auto env = make_env("pendulum");
  const auto play = [](const Env& task, std::vector<double> starts) {
    return [&task, starts] {
      rollout(task, UniformPolicy(task.task()), {.episodes = 2, .horizon = 2, .start_states = starts});
    };
  };
  expect_error(ErrorCode::shape_mismatch, "3 numbers of start states do not make rows of 2 for task 'pendulum'",
               play(*env, {0, 0, 1}));
  expect_error(ErrorCode::not_finite, "start state 1 holds nan", play(*env, {0, 0, 1, NAN}));
  expect_error(ErrorCode::not_finite, "start state 0 holds -inf", play(*env, {0, -HUGE_VAL}));

  // A state that a finite task does not have would be read from beside its tables.
  const auto chain = make_env("chain:n=5");
  expect_error(ErrorCode::out_of_range, "start state 1 is 5; legal: integers 0 to 4", play(*chain, {4, 5}));
  expect_error(ErrorCode::out_of_range, "start state 0 is -1", play(*chain, {-1}));
  expect_error(ErrorCode::out_of_range, "start state 0 is 1.5", play(*chain, {1.5}));
  play(*chain, {0, 4})();
}

}  // namespace
}  // namespace mercer

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

// Uniform but for one action, in step 5 of episode 13.
class FaultyPolicy : public UniformPolicy {
 public:
  FaultyPolicy(const Task& task, double fault) : UniformPolicy(task), fault_(fault) {}
  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override {
    UniformPolicy::sample(observation, draws, action);
    for (std::size_t i = 0; i < action.cols(); ++i) {
      if (draws.items[i] == 13 && draws.step == 5) action(0, i) = fault_;
    }
  }

 private:
  double fault_;
};

void expect_fault(const char* task, double action, ErrorCode code, const std::string& part) {
  const auto env = make_env(task);
  const FaultyPolicy policy(env->task(), action);
  for (const std::size_t batch : {1, 8, 64}) {
    expect_error(code, part, [&] { rollout(*env, policy, {.episodes = 20, .batch = batch}); });
  }
  try {
    rollout(*env, policy, {.episodes = 20});
  } catch (const Error& error) {
    EXPECT_EQ(error.exit_code(), 2);
  }
}

TEST(Actions, not_finite_ones_are_errors_that_name_episode_and_step) {
  const std::string where = " in episode 13, step 5";
  expect_fault("pendulum", NAN, ErrorCode::not_finite, "policy 'uniform' chose action nan" + where);
  expect_fault("pendulum", HUGE_VAL, ErrorCode::not_finite, "chose action inf" + where);
  expect_fault("pendulum", -HUGE_VAL, ErrorCode::not_finite, "chose action -inf" + where);
  expect_fault("mountain-car", NAN, ErrorCode::not_finite, "chose action nan" + where);
}

TEST(Actions, discrete_ones_must_be_of_the_space) {
  const std::string where = " in episode 13, step 5; legal: integers 0 to 2";
  expect_fault("mountain-car", 3, ErrorCode::out_of_range, "chose action 3" + where);
  expect_fault("mountain-car", -1, ErrorCode::out_of_range, "chose action -1" + where);
  expect_fault("mountain-car", 1.5, ErrorCode::out_of_range, "chose action 1.5" + where);
}

TEST(Actions, outside_the_box_are_clipped_before_they_are_played) {
  const auto env = make_env("pendulum");
  const auto always = [&](double torque) {
    const FunctionPolicy policy("constant", env->task(), [=](std::span<const double>, double) { return torque; });
    return rollout(*env, policy, {.episodes = 3, .seed = 1});
  };
  const Rollouts five = always(5), two = always(2), minus = always(-1e300), lowest = always(-2);
  EXPECT_EQ(five.actions, two.actions);
  EXPECT_EQ(five.rewards, two.rewards);
  EXPECT_EQ(five.states, two.states);
  EXPECT_EQ(five.actions[0], 2);
  EXPECT_EQ(minus.returns, lowest.returns);
}

// Played by itself this task charges what it was handed; a rollout hands it what the action space allows.
TEST(Actions, are_charged_as_clipped) {
  const auto env = make_env("continuous-mountain-car");
  const FunctionPolicy policy("strong", env->task(), [](std::span<const double>, double) { return 3.0; });
  const Rollouts r = rollout(*env, policy, {.episodes = 1, .horizon = 4});
  for (const double reward : r.rewards) EXPECT_DOUBLE_EQ(reward, -0.1);
}

}  // namespace
}  // namespace mercer

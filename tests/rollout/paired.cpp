#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/rollout.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

double spread(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] - b[i];
    squares += (a[i] - b[i]) * (a[i] - b[i]);
  }
  const double count = static_cast<double>(a.size());
  return std::sqrt(squares / count - sum * sum / (count * count));
}

FunctionPolicy pull(const Task& task, double gain) {
  return {"pull", task, [gain](std::span<const double> seen, double noise) {
            return std::clamp(gain * (-8 * seen[1] - seen[2]) + 0.1 * noise, -2.0, 2.0);
          }};
}

TEST(PairedReturns, are_those_of_each_policy_alone) {
  const auto env = make_env("pendulum", 0);
  const FunctionPolicy teacher = pull(env->task(), 1), student = pull(env->task(), 0.5);
  const RolloutOptions options{.episodes = 40, .seed = 5};
  const PairedReturns paired = paired_returns(*env, teacher, student, options);
  EXPECT_EQ(paired.teacher, rollout(*env, teacher, options).returns);
  EXPECT_EQ(paired.student, rollout(*env, student, options).returns);
  EXPECT_EQ(paired.discounted_student, rollout(*env, student, options).discounted_returns);
  EXPECT_EQ(paired.range.low, env->return_range(200).low);
  EXPECT_EQ(paired.seed, 5u);
  const RolloutOptions shorter{.episodes = 4, .horizon = 10};
  EXPECT_EQ(paired_returns(*env, teacher, student, shorter).range.low, env->return_range(10).low);
}

TEST(PairedReturns, of_a_policy_with_itself_are_equal) {
  const auto env = make_env("pendulum", 0);
  const FunctionPolicy teacher = pull(env->task(), 1);
  const PairedReturns paired = paired_returns(*env, teacher, teacher, {.episodes = 20});
  EXPECT_EQ(paired.teacher, paired.student);
}

// Meeting the same starts and noise, two policies that are alike differ far less than on episodes of their own.
TEST(PairedReturns, vary_less_than_returns_of_unpaired_episodes) {
  const auto env = make_env("pendulum", 0);
  const FunctionPolicy teacher = pull(env->task(), 1), student = pull(env->task(), 0.98);
  const PairedReturns paired = paired_returns(*env, teacher, student, {.episodes = 400, .seed = 1});
  const PairedReturns other = paired_returns(*env, teacher, student, {.episodes = 400, .seed = 2});
  EXPECT_LT(spread(paired.teacher, paired.student), 0.5 * spread(paired.teacher, other.student));
}

}  // namespace
}  // namespace mercer

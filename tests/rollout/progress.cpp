#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/function_policy.hpp"

namespace mercer {
namespace {

TEST(RolloutProgress, rises_to_one) {
  const auto env = make_env("pendulum");
  std::vector<double> fractions;
  const Progress progress{[&](std::string_view stage, double fraction) {
                            EXPECT_EQ(stage, "rollout");
                            fractions.push_back(fraction);
                          },
                          {}};
  rollout(*env, UniformPolicy(env->task()), {.episodes = 50, .batch = 4, .horizon = 3}, progress);
  ASSERT_EQ(fractions.size(), 13);  // blocks of 4 out of 50
  EXPECT_TRUE(std::ranges::is_sorted(fractions));
  EXPECT_EQ(fractions.back(), 1);
}

TEST(RolloutProgress, a_stop_asked_for_beforehand_ends_at_once) {
  const auto env = make_env("pendulum");
  std::stop_source source;
  source.request_stop();
  std::atomic<int> calls = 0;
  const FunctionPolicy policy("counting", env->task(), [&](std::span<const double>, double) {
    ++calls;
    return 0.0;
  });
  expect_error(ErrorCode::interrupted, "interrupted", [&] {
    rollout(*env, policy, {.episodes = 5}, {{}, source.get_token()});
  });
  EXPECT_EQ(calls, 0);
}

// Asked for in the first step of an endless rollout: seen within 64 steps.
TEST(RolloutProgress, a_stop_asked_for_midway_ends_soon) {
  const auto env = make_env("pendulum");
  std::stop_source source;
  std::atomic<int> calls = 0;
  const FunctionPolicy policy("stopping", env->task(), [&](std::span<const double>, double) {
    ++calls;
    source.request_stop();
    return 0.0;
  });
  const RolloutOptions options{.episodes = 1, .horizon = 1000000000, .keep_steps = false};
  try {
    rollout(*env, policy, options, {{}, source.get_token()});
    ADD_FAILURE() << "not interrupted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::interrupted);
    EXPECT_EQ(error.exit_code(), 130);
  }
  EXPECT_LE(calls, 64);
}

TEST(RolloutProgress, a_stop_between_blocks_ends_too) {
  const auto env = make_env("turntable");
  std::stop_source source;
  const Progress progress{[&](std::string_view, double) { source.request_stop(); }, source.get_token()};
  expect_error(ErrorCode::interrupted, "interrupted",
               [&] { rollout(*env, UniformPolicy(env->task()), {.episodes = 1000, .batch = 10}, progress); });
}

}  // namespace
}  // namespace mercer

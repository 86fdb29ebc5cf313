#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/plain_rollout.hpp"

namespace mercer {
namespace {

// A point drifts on a line, pushed by one action and shaken as much as the other says, until it is too far away: what a
// user would write, with two action dimensions, noise, an observation of its own and an early end.
class Drift final : public Env {
 public:
  explicit Drift(double limit)
      : Env({"drift",
             Space::box({{"x", {-HUGE_VAL, HUGE_VAL}, "m", false}}),
             Space::box({{"x", {-HUGE_VAL, HUGE_VAL}, "m", false}, {"square", {0, HUGE_VAL}, "m^2", false}}),
             Space::box({{"push", {-0.1, 0.1}, "m", false}, {"shake", {0, 1}, "", false}}),
             {-1.1, 0.1},
             40,
             0.9,
             1}),
        limit_(limit) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    draws.fill_uniform(state.row(0), -0.1, 0.1);
  }
  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    for (std::size_t i = 0; i < state.cols(); ++i) {
      observation(0, i) = state(0, i);
      observation(1, i) = state(0, i) * state(0, i);
    }
  }
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    for (std::size_t i = 0; i < state.cols(); ++i) {
      state(0, i) += action(0, i) + 0.3 * action(1, i) * draws.random(i).normal();
      reward[i] = action(0, i) - action(1, i);
      terminated[i] = std::abs(state(0, i)) > limit_;
    }
  }

 private:
  double limit_;
};

const RegisterEnv once{{"drift", "a point on a line", "limit=1",
                        [](Params& params) { return std::make_unique<Drift>(params.number("limit", 1, 0, 10)); }}};

TEST(UserTask, plays_like_a_built_in_one) {
  const auto env = make_env("drift:limit=0.5");
  const auto policy = make_policy("uniform", env->task());
  for (const std::size_t batch : {1, 7, 64}) {
    const RolloutOptions options{.episodes = 100, .seed = 2, .batch = batch};
    const Rollouts r = rollout(*env, *policy, options);
    expect_same_numbers(r, plain_rollout(*env, *policy, options), "drift");
    EXPECT_EQ(r.action_names, (std::vector<std::string>{"push", "shake"}));
    EXPECT_EQ(r.actions.size(), 2 * r.steps());
    EXPECT_GT(std::ranges::count(r.terminated, 1), 50);
    const Range range = env->return_range(40);  // by default what the rewards imply: 40 times each bound
    EXPECT_DOUBLE_EQ(range.low, -44);
    EXPECT_DOUBLE_EQ(range.high, 4);
  }
}

TEST(UserTask, is_known_by_name) {
  EXPECT_EQ(known_envs().back().name, "drift");
  expect_error(ErrorCode::unknown_name, "Did you mean 'drift'?", [] { make_env("drfit"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'limit'?", [] { make_env("drift:limt=1"); });
  expect_error(ErrorCode::out_of_range, "limit is 11", [] { make_env("drift:limit=11"); });
}

TEST(UserTask, a_second_one_of_the_same_name_replaces_the_first) {
  const std::size_t before = known_envs().size();
  const EnvEntry old = known_envs().back();
  register_env({"drift", "another", "", [](Params&) { return std::make_unique<Drift>(9); }});
  EXPECT_EQ(known_envs().size(), before);
  EXPECT_EQ(known_envs().back().summary, "another");
  expect_error(ErrorCode::unknown_name, "no setting of task 'drift' is called 'limit'",
               [] { make_env("drift:limit=1"); });
  register_env(old);
}

TEST(UserTask, a_broken_contract_is_refused) {
  class Broken final : public Env {
   public:
    Broken(std::uint32_t limit, double gamma) : Env({"broken", {}, {}, {}, {}, limit, gamma, 0}) {}
    void reset(const Draws&, MatrixView<double>) const override {}
    void step(MatrixView<double>, MatrixView<const double>, const Draws&, std::span<double>,
              std::span<std::uint8_t>) const override {}
  };
  expect_error(ErrorCode::out_of_range, "the time limit of task 'broken' is 0", [] { Broken(0, 0.9); });
  expect_error(ErrorCode::out_of_range, "the discount of task 'broken' is 2", [] { Broken(1, 2); });
}

}  // namespace
}  // namespace mercer

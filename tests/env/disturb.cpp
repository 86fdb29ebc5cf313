#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/perturb.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

// Two numbers that stay at 0; the reward is the first action, so that what was played can be read off.
class ActionProbe final : public Env {
 public:
  explicit ActionProbe(Space observation = Space::box({{"near", {-2, 4}}, {"far", {-HUGE_VAL, HUGE_VAL}}}),
                       Space action = Space::box({{"push", {-1, 3}}}))
      : Env({"probe", observation, observation, std::move(action), {-1, 3}, 20, 1, 0}) {}
  void reset(const Draws&, MatrixView<double> state) const override {
    for (std::size_t d = 0; d < state.rows(); ++d) std::ranges::fill(state.row(d), 0.0);
  }
  void step(MatrixView<double>, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::copy(action.row(0), reward.begin());
    std::ranges::fill(terminated, std::uint8_t{0});
  }
};

struct ProbePlay {
  ProbePlay(const Env& played, std::size_t columns, std::uint64_t by_seed = 1)
      : env(played),
        count(columns),
        seed(by_seed),
        states(env.task().state.dimensions() * count),
        observations(env.task().observation.dimensions() * count),
        actions(count),
        reward(count),
        items(count),
        terminated(count) {
    for (std::size_t i = 0; i < count; ++i) items[i] = i;
    env.reset({seed, Stage::start, 0, items}, state());
  }
  MatrixView<double> state() { return {states.data(), states.size() / count, count}; }
  MatrixView<double> observe() {
    const MatrixView<double> view(observations.data(), observations.size() / count, count);
    env.observe(state(), view);
    return view;
  }
  // Asks all columns for the same action; what was played is in `reward`.
  void step(double action) {
    std::ranges::fill(actions, action);
    env.step(state(), MatrixView<const double>(actions.data(), 1, count), {seed, Stage::transition, t++, items}, reward,
             terminated);
  }

  const Env& env;
  std::size_t count;
  std::uint64_t seed;
  std::uint32_t t = 0;
  std::vector<double> states, observations, actions, reward;
  std::vector<std::uint64_t> items;
  std::vector<std::uint8_t> terminated;
};

std::unique_ptr<Env> disturbed_probe(const Disturbance& of, std::vector<double> scales = {0, 0.5}) {
  return disturb(std::make_unique<ActionProbe>(), of, std::move(scales));
}

TEST(Disturb, nothing_is_wrapped_where_all_is_nominal) {
  const auto env = make_env("chain:noise=0,delay=0,lag=0..0");
  EXPECT_NE(dynamic_cast<const TabularEnv*>(env.get()), nullptr);
  EXPECT_FALSE(Disturbance{}.any());
  EXPECT_FALSE(needs_spread(*make_env("cart-pole:delay=2")));
}

TEST(Disturb, a_delay_shifts_actions) {
  for (const std::size_t delay : {1, 2, 5}) {
    const auto env = disturbed_probe({.delay = {double(delay), double(delay)}});
    ProbePlay play(*env, 3);
    for (std::size_t t = 0; t < 12; ++t) {
      play.step(0.1 * static_cast<double>(t));
      const double expected = t < delay ? 1.0 : 0.1 * static_cast<double>(t - delay);  // 1 is the middle of -1..3
      for (const double played : play.reward) EXPECT_EQ(played, expected) << delay << " at " << t;
    }
  }
}

TEST(Disturb, each_episode_has_its_own_delay) {
  constexpr std::size_t n = 3000;
  const auto env = disturbed_probe({.delay = {0, 2}});
  EXPECT_EQ(env->task().state.axes[2].name, "delay");
  ProbePlay play(*env, n);
  const auto delays = play.state().row(2);
  std::array<double, 3> counts{};
  for (const double delay : delays) ++counts.at(static_cast<std::size_t>(delay));
  const ChiSquare even(counts, std::array{1.0 / 3, 1.0 / 3, 1.0 / 3});
  EXPECT_LE(even.value, even.limit());
  for (int t = 0; t < 6; ++t) {
    play.step(0.25 * t);
    for (std::size_t i = 0; i < n; ++i) {
      const double due = t - play.state()(2, i);
      ASSERT_EQ(play.reward[i], due < 0 ? 1 : 0.25 * due);
    }
  }
}

TEST(Disturb, a_lag_keeps_a_share_of_the_last_action) {
  const auto env = disturbed_probe({.delay = {1, 1}, .lag = {0.75, 0.75}});
  ProbePlay play(*env, 2);
  double played = 1, before = 1;
  for (const double asked : {3.0, -1.0, -1.0, 0.5, 0.5, 2.0}) {
    play.step(asked);
    played = 0.75 * played + 0.25 * before;
    before = asked;
    EXPECT_DOUBLE_EQ(play.reward[0], played);
    EXPECT_EQ(play.reward[1], play.reward[0]);
  }
}

TEST(Disturb, noise_of_observations_has_the_declared_spread) {
  constexpr std::size_t n = 40000;
  const auto env = disturbed_probe({.noise = {0.1, 0.1}});
  ProbePlay play(*env, n);
  std::array<std::vector<double>, 2> first, second;
  const auto keep = [&](auto& all) {
    const MatrixView<double> seen = play.observe();
    for (std::size_t d = 0; d < 2; ++d) all[d].assign(seen.row(d).begin(), seen.row(d).end());
  };
  keep(first);
  EXPECT_TRUE(std::ranges::equal(play.observe().row(0), first[0]));  // looking twice changes nothing
  play.step(0);
  keep(second);
  // Half ranges: 3, and the given spread of 0.5. The standard deviation of n normals is off by 1 / sqrt(2 n) of itself,
  // the mean by 1 / sqrt(n): five times that.
  const std::array<double, 2> expected{0.3, 0.05};
  for (std::size_t d = 0; d < 2; ++d) {
    for (const auto* all : {&first[d], &second[d]}) {
      const SampleMean mean(*all);
      const double sd = mean.error * std::sqrt(n);
      EXPECT_NEAR(mean.mean, 0, 5 * expected[d] / std::sqrt(n));
      EXPECT_NEAR(sd, expected[d], 5 * expected[d] / std::sqrt(2.0 * n));
    }
    double together = 0;  // a new draw at each step
    for (std::size_t i = 0; i < n; ++i) together += first[d][i] * second[d][i] / n;
    EXPECT_NEAR(together, 0, 5 * expected[d] * expected[d] / std::sqrt(n));
  }
}

TEST(Disturb, a_noisy_sensor_saturates_at_its_range) {
  const auto env = disturbed_probe({.noise = {1, 1}});
  ProbePlay play(*env, 2000);
  const auto seen = play.observe().row(0);
  EXPECT_EQ(std::ranges::min(seen), -2);
  EXPECT_EQ(std::ranges::max(seen), 4);
  // P(3 z < -2) = 0.2525: within five standard errors.
  const auto low = static_cast<double>(std::ranges::count(seen, -2.0)) / 2000;
  EXPECT_NEAR(low, 0.2525, 5 * std::sqrt(0.2525 * 0.7475 / 2000));
}

TEST(Disturb, levels_are_what_a_sensor_can_show) {
  const auto noisy = disturbed_probe({.noise = {0.3, 0.3}}),
             coarse = disturbed_probe({.noise = {0.3, 0.3}, .levels = {7, 7}});
  ProbePlay fine(*noisy, 500), few(*coarse, 500);
  const MatrixView<double> a = fine.observe(), b = few.observe();
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_DOUBLE_EQ(b(0, i), std::round(a(0, i)));  // -2, -1, .., 4
    // Without bounds: steps of 8 spreads / 6 about 0.
    EXPECT_NEAR(b(1, i), std::round(a(1, i) / (4.0 / 6)) * (4.0 / 6), 1e-12);
  }
  const auto two = disturbed_probe({.levels = {2, 2}});
  ProbePlay still(*two, 1);
  EXPECT_EQ(still.observe()(0, 0), -2);  // 0 is nearer to -2 than to 4
}

TEST(Disturb, noise_of_actions_is_clipped_to_the_action_space) {
  constexpr std::size_t n = 40000;
  const auto env = disturbed_probe({.action_noise = {0.1, 0.1}});
  ProbePlay play(*env, n);
  play.step(1);
  const SampleMean mean(play.reward);  // the half range is 2
  EXPECT_NEAR(mean.mean, 1, 5 * 0.2 / std::sqrt(n));
  EXPECT_NEAR(mean.error * std::sqrt(n), 0.2, 5 * 0.2 / std::sqrt(2.0 * n));
  const std::vector<double> before = play.reward;
  play.step(3);
  EXPECT_LE(std::ranges::max(play.reward), 3);
  EXPECT_NE(before, play.reward);
  play.step(30);  // asked from outside the space
  EXPECT_LE(std::ranges::max(play.reward), 3);
}

TEST(Disturb, a_discrete_action_is_at_times_another) {
  constexpr std::size_t n = 40000;
  const auto env = disturb(std::make_unique<ActionProbe>(Space::discrete("x", 3), Space::discrete("push", 4)),
                           {.action_noise = {0.3, 0.3}});
  ProbePlay play(*env, n);
  play.step(2);
  std::array<double, 4> counts{};
  for (const double played : play.reward) ++counts.at(static_cast<std::size_t>(played));
  const ChiSquare fit(counts, std::array{0.075, 0.075, 0.775, 0.075});
  EXPECT_LE(fit.value, fit.limit());
  const auto late =
      disturb(std::make_unique<ActionProbe>(Space::discrete("x", 3), Space::discrete("push", 4)), {.delay = {1, 1}});
  ProbePlay first(*late, 1);
  first.step(3);
  EXPECT_EQ(first.reward[0], 1);  // floor(3 / 2) before the first action
}

TEST(Disturb, a_finite_task_can_be_late_and_noisy) {
  const auto env = make_env("chain:n=5,delay=1,action_noise=0.1");
  EXPECT_EQ(env->task().observation.count, 5);
  ProbePlay play(*env, 4);
  for (int t = 0; t < 10; ++t) play.step(1);
  play.state()(0, 2) = 5;
  expect_error(ErrorCode::out_of_range, "a state of task 'chain' is 5; legal: integers 0 to 4", [&] { play.step(1); });
}

TEST(Disturb, two_policies_meet_the_same_perturbation) {
  const auto env = make_env("pendulum:m=0.8..1.2,noise=0..0.05,delay=0..1");
  ProbePlay one(*env, 50, 7), other(*env, 50, 7);
  const std::size_t drawn = 2;
  EXPECT_TRUE(std::ranges::equal(one.state().row(drawn), other.state().row(drawn)));
  for (int t = 0; t < 5; ++t) {
    one.step(2);
    other.step(-2);
  }
  for (std::size_t d = drawn; d < drawn + 3 + 3; ++d) {  // m, noise, delay, and the noise of three observations
    EXPECT_TRUE(std::ranges::equal(one.state().row(d), other.state().row(d))) << d;
  }
  EXPECT_FALSE(std::ranges::equal(one.state().row(0), other.state().row(0)));
}

TEST(Disturb, an_observation_without_bounds_needs_its_spread) {
  const auto env = make_env("cart-pole:noise=0.02");
  EXPECT_TRUE(needs_spread(*env));
  expect_error(ErrorCode::missing_option, "noise and levels of velocity, which has no bounds, are shares of its spread",
               [&] { ProbePlay(*env, 1); });
  const auto known = with_spread("cart-pole:noise=0.02", 0, {0, 0.5, 0, 0.4});
  EXPECT_FALSE(needs_spread(*known));
  ProbePlay play(*known, 1);
  play.observe();
  expect_error(ErrorCode::shape_mismatch, "2 spreads of 4 observations", [] {
    with_spread("cart-pole:noise=0.02", 0, {1, 1});
  });
}

TEST(Disturb, what_does_not_fit_the_spaces_is_refused) {
  expect_error(ErrorCode::bad_value, "task 'chain': noise does not go with a discrete observation",
               [] { make_env("chain:noise=0.1"); });
  expect_error(ErrorCode::bad_value, "levels does not go with a discrete observation",
               [] { make_env("chain:levels=4"); });
  expect_error(ErrorCode::bad_value, "task 'cart-pole': lag does not go with a discrete action",
               [] { make_env("cart-pole:lag=0.5"); });
  expect_error(ErrorCode::out_of_range, "noise is -0.1; legal: 0 to 1", [] { make_env("pendulum:noise=-0.1"); });
  expect_error(ErrorCode::out_of_range, "lag is 1; legal: 0 to 0.99", [] { make_env("pendulum:lag=1"); });
  expect_error(ErrorCode::bad_value, "delay is 0.5, which is not an integer",
               [] { make_env("pendulum:delay=0..0.5"); });
  expect_error(ErrorCode::out_of_range, "levels is 1; legal: 0 for all, or 2 to 65536",
               [] { make_env("pendulum:levels=1"); });
}

}  // namespace
}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/function_policy.hpp"
#include "support/golden.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// Policies that go to extremes: each end of the action space, along the speed (the last observation), against it, and
// from end to end at random.
std::vector<std::unique_ptr<Policy>> extreme_policies(const Task& task) {
  const Range range = task.action.axes[0].range;
  std::vector<std::unique_ptr<Policy>> all;
  const auto add = [&](const char* name, FunctionPolicy::Choose choose) {
    all.push_back(std::make_unique<FunctionPolicy>(name, task, std::move(choose)));
  };
  all.push_back(std::make_unique<UniformPolicy>(task));
  add("low", [=](std::span<const double>, double) { return range.low; });
  add("high", [=](std::span<const double>, double) { return range.high; });
  add("along", [=](std::span<const double> seen, double) { return seen.back() < 0 ? range.low : range.high; });
  add("against", [=](std::span<const double> seen, double) { return seen.back() < 0 ? range.high : range.low; });
  add("bang", [=](std::span<const double>, double noise) { return noise < 0 ? range.low : range.high; });
  return all;
}

struct Measured {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  void add(const std::vector<double>& values) {
    for (const double value : values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  // Prints how far inside the promise it stayed; `rounding` is what sums may be off by.
  void expect_inside(Range promised, double rounding, const std::string& what) const {
    fmt::print("{:58} {:10.4g} to {:9.4g}, promised {:10.4g} to {:9.4g}, slack {:.2g} and {:.2g}\n", what, low, high,
               promised.low, promised.high, low - promised.low, promised.high - high);
    EXPECT_GE(low, promised.low - rounding) << what;
    EXPECT_LE(high, promised.high + rounding) << what;
  }
};

// States and observations lie in their spaces. The continuous car keeps its state in single precision, whose nearest
// number to a bound may lie outside it by 2^-24 of its size.
void expect_in_space(const std::vector<double>& rows, const Space& space, const std::string& what) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [low, high] = space.axes[i % space.dimensions()].range;
    ASSERT_GE(rows[i], std::isinf(low) ? low : low - 0x1p-24 * std::abs(low)) << what;
    ASSERT_LE(rows[i], std::isinf(high) ? high : high + 0x1p-24 * std::abs(high)) << what;
  }
}

void expect_promises_kept(const std::string& spec) {
  const auto env = make_env(spec, 3);
  const Task& task = env->task();
  for (const std::uint32_t horizon : {1U, 16U, task.time_limit}) {
    Measured rewards, returns;
    for (const auto& policy : extreme_policies(task)) {
      const Rollouts r = rollout(*env, *policy, {.episodes = 40, .seed = 5, .horizon = horizon});
      rewards.add(r.rewards);
      returns.add(r.returns);
      expect_in_space(r.states, task.state, task.name + " state");
      expect_in_space(r.observations, task.observation, task.name + " observation");
      expect_in_space(r.final_observations, task.observation, task.name + " last observation");
      expect_in_space(r.actions, task.action, task.name + " action");
    }
    const Range promised = env->return_range(horizon);
    // A sum of h numbers is off by at most h 2^-53 of the sum of their sizes: 16 steps at -0.1 come to a little under
    // -1.6.
    const double rounding = horizon * 0x1p-53 * std::max(std::abs(promised.low), std::abs(promised.high));
    rewards.expect_inside(task.reward, 0, fmt::format("{} reward, {} steps", task.name, horizon));
    returns.expect_inside(promised, rounding, fmt::format("{} return, {} steps", task.name, horizon));
  }
}

TEST(Bounds, of_every_built_in_task_hold) {
  const TemporaryFolder folder;
  std::ofstream(folder / "mdp.json") << golden_mdp(read_golden("theory/mdp_106_n4_m2.json")).dump();
  for (std::size_t i = 0; i < 11; ++i) {  // built-in tasks come first
    const std::string name = known_envs()[i].name;
    expect_promises_kept(name == "tabular" ? (folder / "mdp.json").string() : name);
  }
  expect_promises_kept("chain:n=3,alpha=0.6");
  expect_promises_kept("turntable:places=-1;2,widths=0.1;0.5,heights=1;-2");
  expect_promises_kept("quadrotor:goal=waypoints,attitude=quaternion");
}

// Perturbations to the ends of what is legal, and disturbances of everything.
TEST(Bounds, of_perturbed_tasks_hold) {
  for (const char* name : {"pendulum", "pendulum-v0"}) {
    expect_promises_kept(std::string(name) + ":g=0..30,m=0.1..10,l=0.1..10,dt=0.001..0.2,damping=0..10");
    expect_promises_kept(std::string(name) +
                         ":m=0.5..2,noise=0..1,action_noise=0..1,delay=0..3,lag=0..0.99,levels=2..9");
  }
  expect_promises_kept("continuous-mountain-car:force=0..0.02,gravity=0..0.02");
  expect_promises_kept("continuous-mountain-car:noise=0.5,action_noise=1,delay=2,lag=0.9,levels=4");
  expect_promises_kept("mountain-car:force=0..0.02,gravity=0..0.02,delay=0..2,action_noise=0.5");
  expect_promises_kept(
      "cart-pole:gravity=0..30,masscart=0.5..10,masspole=0.05..2,length=0.25..5,force=0..20,delay=0..3");
  expect_promises_kept(
      "acrobot:m1=0.1..10,m2=0.1..10,l1=0.1..10,com1=0.05..5,com2=0.05..5,moi=0.1..10,torque=0..10,gravity=0..30");
  expect_promises_kept("acrobot:m2=0.5..2,noise=0..1,action_noise=0.5,delay=0..2,levels=2..9");
  expect_promises_kept(
      "quadrotor:mass=0.014..0.056,inertia=0.3..3,arm=0.02..0.1,thrust=0.3..2,motor_lag=0.001..0.5,drag=0..0.1,"
      "gravity=0..30");
  expect_promises_kept("quadrotor:goal=waypoints,thrust=0.3,noise=0..1,action_noise=0..1,delay=0..3,lag=0..0.9");
  expect_promises_kept("chain:alpha=0.6,delay=2,action_noise=0.3");
  expect_promises_kept("turntable:action_noise=0.5,lag=0.5");
}

// The goal of the continuous car pays 100 and is reached in one step without force from right below it.
TEST(Bounds, the_best_return_of_the_continuous_car_is_reached) {
  const auto env = make_env("continuous-mountain-car");
  const FunctionPolicy idle("idle", env->task(), [](std::span<const double>, double) { return 0.0; });
  const Rollouts r = rollout(*env, idle, {.episodes = 1, .start_states = {0.44, 0.07}});
  EXPECT_EQ(r.returns[0], 100);
  EXPECT_EQ(env->return_range(999).high, 100);
  EXPECT_DOUBLE_EQ(env->return_range(999).low, -99.9);
}

TEST(Bounds, early_ends_count) {
  // Cart-pole pays 1 a step for 1 to h steps; mountain car -1 for 1 to h.
  EXPECT_EQ(make_env("cart-pole")->return_range(500).low, 1);
  EXPECT_EQ(make_env("cart-pole")->return_range(500).high, 500);
  EXPECT_EQ(make_env("mountain-car")->return_range(200).low, -200);
  EXPECT_EQ(make_env("mountain-car")->return_range(200).high, -1);
}

}  // namespace
}  // namespace mercer

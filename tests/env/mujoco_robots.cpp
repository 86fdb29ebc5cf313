// Robots of users: what a description means, and the examples.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/robot_file.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

std::vector<double> play_steps(const Env& env, std::size_t steps, double action) {
  SingleEpisode play(env, 1, 0);
  for (std::size_t t = 0; t < steps; ++t) play.step(std::vector<double>(env.task().action.dimensions(), action));
  return play.state();
}

// Every quantity against what a plain calculation gives. The pole starts at angle 0.3, all else at rest.
TEST(MujocoRobots, quantities_are_what_they_are_called) {
  const RobotFile file(R"(
model = "pole.xml"
gamma = 0.9
time_limit = 7

[[observe]]
joint = "hinge"
name = "lean"
unit = "radians"

[[observe]]
velocity = "loose"
axis = ["wz", "x"]

[[observe]]
joint = "hinge"
apply = "cos"

[[observe]]
joint = "hinge"
target = 0.1
limits = [-1, 0.15]
name = "cut"

[[observe]]
body = "ball"

[[observe]]
site = "tip"
axis = ["z", "x"]

[[observe]]
site = "tip"
from = "goal"
apply = "length"

[[observe]]
site = "tip"
from = "cart"
axis = "x"

[[observe]]
upright = "pole"

[[observe]]
sensor = ["turning", "angle"]

[[reward]]
name = "ball"
body = "ball"
axis = "y"
weight = 2

[start]
pose.hinge = 0.3
)");
  const auto env = file.make();
  const Task& task = env->task();
  EXPECT_EQ(task.name, "pole");
  EXPECT_EQ(task.gamma, 0.9);
  EXPECT_EQ(task.time_limit, 7);
  EXPECT_EQ(task.ending, Ending::plain);
  std::vector<std::string> names;
  for (const Axis& axis : task.observation.axes) names.push_back(axis.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"lean", "loose_velocity_wz", "loose_velocity_x", "cos_hinge", "cut", "ball_x",
                                      "ball_y", "ball_z", "tip_z", "tip_x", "tip_length", "tip_x_from_cart",
                                      "pole_upright", "turning_x", "turning_y", "turning_z", "angle"}));
  EXPECT_EQ(task.observation.axes[0].unit, "radians");
  EXPECT_EQ(task.observation.axes[4].range.high, 0.15);
  EXPECT_EQ(task.action.axes[0].range.low, -2);
  SingleEpisode play(*env, 1, 0);
  const std::vector<double> seen = play.observation();
  const double x = std::sin(0.3), z = std::cos(0.3);
  const std::vector<double> expected{0.3, 0, 0, z, 0.15, 0, 3, 0, z, x, std::hypot(x - 0.5, z - 1), x, z, 0, 0, 0, 0.3};
  ASSERT_EQ(seen.size(), expected.size());
  for (std::size_t d = 0; d < seen.size(); ++d) EXPECT_NEAR(seen[d], expected[d], 1e-12) << names[d];
  EXPECT_NEAR(play.step({0}), 6, 1e-12);
}

TEST(MujocoRobots, rewards_and_ends_follow_their_rules) {
  const std::string observed = "model = \"pole.xml\"\n[[observe]]\njoint = \"slider\"\n";
  const auto step = [&](const std::string& text, double action) {
    const RobotFile file(observed + text);
    const auto env = file.make();
    SingleEpisode play(*env, 1, 0);
    const double reward = play.step({action});
    return std::pair(reward, play.terminated());
  };
  EXPECT_NEAR(step("[[reward]]\naction = \"all\"\napply = \"squares\"\nweight = -0.5\n", 0.4).first, -0.08, 1e-15);
  EXPECT_NEAR(step("[[reward]]\naction = \"push\"\ntarget = 1\napply = \"length\"\n", 0.4).first, 0.6, 1e-15);
  // A rate is the velocity that moved the cart (semi-implicit Euler); before a step the cart rests at 0.
  const double speed = step("[[reward]]\nvelocity = \"slider\"\n", 1).first;
  EXPECT_GT(speed, 0.01);
  EXPECT_NEAR(step("[[reward]]\njoint = \"slider\"\nrate = true\n", 1).first, speed, 1e-12);
  EXPECT_EQ(step("[[reward]]\njoint = \"slider\"\nbefore = true\ntarget = -3\n", 1).first, 3);
  const double moved = 0.002 * speed;
  EXPECT_NEAR(step("[[reward]]\njoint = \"slider\"\n", 1).first, moved, 1e-12);
  // The position of a body is that of the beginning of the simulator's last step.
  EXPECT_EQ(step("[[reward]]\nbody = \"cart\"\naxis = \"x\"\n", 1).first, 0);

  const auto ends = [&](const std::string& rule) { return step("[[end]]\njoint = \"hinge\"\n" + rule, 0).second; };
  EXPECT_TRUE(ends("at_most = 0\n"));
  EXPECT_FALSE(ends("below = 0\n"));
  EXPECT_TRUE(ends("at_least = 0\n"));
  EXPECT_FALSE(ends("above = 0\n"));
  EXPECT_TRUE(ends("below = 0.1\n"));
  EXPECT_TRUE(ends("above = -0.1\n"));
  EXPECT_FALSE(ends("at_most = -1\nat_least = 1\n"));
}

TEST(MujocoRobots, bounds_of_rewards_add_up) {
  const auto range = [&](const std::string& text) {
    return RobotFile("model = \"pole.xml\"\n[[observe]]\njoint = \"slider\"\n" + text).make()->task().reward;
  };
  const std::string alive = "[[reward]]\nconstant = 3\n";
  const std::string control = "[[reward]]\naction = \"all\"\napply = \"squares\"\nweight = -0.5\n";
  const std::string upright = "[[reward]]\nupright = \"pole\"\nweight = 2\n";
  const Range sum = range(alive + control + upright);  // actions from -2 to 1
  EXPECT_DOUBLE_EQ(sum.low, 3 - 2 - 2);
  EXPECT_DOUBLE_EQ(sum.high, 3 + 2);
  const Range speed = range(alive + "[[reward]]\nvelocity = \"slider\"\n");
  EXPECT_EQ(speed.low, -HUGE_VAL);
  EXPECT_EQ(speed.high, HUGE_VAL);
  const Range cut = range("[[reward]]\nvelocity = \"slider\"\nlimits = [-2, 4]\nweight = -1\n");
  EXPECT_EQ(cut.low, -4);
  EXPECT_EQ(cut.high, 2);
  EXPECT_EQ(range("[[reward]]\nsite = \"tip\"\nfrom = \"goal\"\napply = \"length\"\nweight = -1\n").high, 0);
}

TEST(MujocoRobots, switches_choose_items) {
  const RobotFile file(pole_robot + R"(
[[observe]]
switch = "more"
velocity = "slider"
[switches]
more = false
)");
  EXPECT_EQ(file.make()->task().observation.dimensions(), 1);
  EXPECT_EQ(file.make(",more=true")->task().observation.dimensions(), 2);
  expect_error(ErrorCode::bad_value, "more is '1'", [&] { file.make(",more=1"); });
}

TEST(MujocoRobots, take_perturbations) {
  const RobotFile file(pole_robot);
  const auto plain = file.make(), heavy = file.make(",mass.pole=3"), drawn = file.make(",mass.pole=1..3");
  EXPECT_NE(play_steps(*plain, 20, 1), play_steps(*heavy, 20, 1));
  EXPECT_EQ(drawn->task().state.axes.back().name, "mass.pole");
  expect_error(ErrorCode::unknown_name, "mass.pol", [&] { file.make(",mass.pol=3"); });
}

// Time is part of what an episode carries.
TEST(MujocoRobots, clocks_run) {
  const RobotFile file("model = \"pole.xml\"\n[[observe]]\nsensor = \"clock\"\n");
  const auto env = file.make();
  SingleEpisode play(*env, 1, 0);
  for (int t = 0; t < 10; ++t) play.step({0});
  EXPECT_NEAR(play.observation()[0], 9 * 0.002, 1e-12);  // the last step began then
}

// So are activations: a slow motor goes on pushing after its command has ended.
TEST(MujocoRobots, activations_are_carried) {
  std::string model = pole_model;
  const std::string motor = "<motor name=\"push\" joint=\"slider\" gear=\"10\"";
  model.replace(model.find(motor), motor.size(),
                "<general name=\"push\" joint=\"slider\" dyntype=\"filter\" dynprm=\"0.05\"");
  const RobotFile file(pole_robot, model);
  const auto env = file.make();
  EXPECT_EQ(env->task().state.dimensions(), 17);
  SingleEpisode play(*env, 1, 0), other(*env, 1, 0);
  double first = 0;
  for (int t = 0; t < 10; ++t) {
    play.step({t == 0 ? 1.0 : 0.0});
    other.step({-1});
    const double speed = play.state()[9];
    EXPECT_GT(speed, first);
    first = speed;
  }
}

// The examples of docs/guide/robots.md can be played, and a simple controller does better than none.
TEST(MujocoRobots, examples_can_be_played) {
  const std::filesystem::path folder = std::filesystem::path(MERCER_TEST_DATA) / "../../examples/robots";
  const auto play = [&](const Env& env, const auto& control) {
    double total = 0;
    for (const std::uint64_t episode : {0, 1, 2, 3}) {
      SingleEpisode one(env, 2, episode);
      for (std::uint32_t t = 0; t < env.task().time_limit && !one.terminated(); ++t) {
        total += one.step(control(one.observation()));
        EXPECT_FALSE(one.broken());
      }
    }
    return total / 4;
  };
  const auto poles = make_env("mujoco:" + (folder / "two_poles.toml").string());
  EXPECT_EQ(poles->task().observation.dimensions(), 6);
  EXPECT_EQ(poles->task().reward.high, 1);
  EXPECT_DOUBLE_EQ(poles->task().dt, 0.02);
  const double idle = play(*poles, [](const std::vector<double>&) { return std::vector<double>{0}; });
  // A linear-quadratic regulator for the linearised task.
  const double balanced = play(*poles, [](const std::vector<double>& seen) {
    const std::vector<double> gains{0.478, 1.099, 80.634, -71.031, 20.37, -10.724};
    double push = 0;
    for (std::size_t d = 0; d < gains.size(); ++d) push -= gains[d] * seen[d];
    return std::vector<double>{std::clamp(push, -1.0, 1.0)};
  });
  EXPECT_LT(idle, 100);
  EXPECT_GT(balanced, 490);  // of 500

  const auto arm = make_env("mujoco:" + (folder / "arm.toml").string());
  EXPECT_EQ(arm->task().observation.dimensions(), 10);
  EXPECT_EQ(arm->task().observation.axes[9].unit, "N m");
  const double limp = play(*arm, [](const std::vector<double>&) { return std::vector<double>(3); });
  // A spring from the fingertip to the target, and some lift, through the transposed Jacobian.
  const double pulled = play(*arm, [](const std::vector<double>& seen) {
    const double turn = seen[0], lift = seen[1], elbow = seen[1] + seen[2];
    const double reach = 0.4 * std::cos(lift) + 0.35 * std::cos(elbow);
    const double fx = -120 * seen[6], fy = -120 * seen[7], fz = -120 * seen[8] + 6;
    const double outwards = fx * std::cos(turn) + fy * std::sin(turn);
    const double bend = -0.35 * (outwards * std::sin(elbow) + fz * std::cos(elbow));
    const double lifting = bend - 0.4 * (outwards * std::sin(lift) + fz * std::cos(lift));
    const double turning = reach * (fy * std::cos(turn) - fx * std::sin(turn));
    return std::vector<double>{std::clamp(turning / 12, -1.0, 1.0), std::clamp(lifting / 25, -1.0, 1.0),
                               std::clamp(bend / 12, -1.0, 1.0)};
  });
  fmt::print("two poles: idle {:.1f}, balanced {:.1f}; arm: limp {:.1f}, pulled {:.1f}\n", idle, balanced, limp,
             pulled);
  EXPECT_LT(limp, -60);
  EXPECT_GT(pulled, -20);
}

}  // namespace
}  // namespace mercer

// Robots of users: the format, its errors with file, line and the nearest name, and the examples.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/mujoco/robot.hpp"
#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/single_episode.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

constexpr const char* pole_model = R"(<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slider" type="slide" axis="1 0 0"/>
      <geom name="cart" size="0.1" mass="1" contype="0"/>
      <body name="pole">
        <joint name="hinge" axis="0 1 0"/>
        <geom name="pole" type="capsule" fromto="0 0 0 0 0 1" size="0.02" mass="0.1" contype="0"/>
        <site name="tip" pos="0 0 1"/>
      </body>
    </body>
    <site name="goal" pos="0.5 0 1"/>
    <body name="ball" pos="0 3 0"><freejoint name="loose"/><geom size="0.1" mass="1" contype="0"/></body>
  </worldbody>
  <actuator><motor name="push" joint="slider" gear="10" ctrllimited="true" ctrlrange="-2 1"/></actuator>
  <sensor><gyro name="turning" site="tip"/><jointpos name="angle" joint="hinge"/><clock name="clock"/></sensor>
</mujoco>)";

const std::string pole_robot = R"(model = "pole.xml"
frame_skip = 2

[[observe]]
joint = "slider"

[[reward]]
constant = 1
)";

class RobotFile {
 public:
  explicit RobotFile(const std::string& text, const std::string& model = pole_model) {
    write_bytes(folder_ / "pole.xml", model);
    write_bytes(folder_ / "pole.toml", text);
  }
  std::unique_ptr<Env> make(const std::string& settings = "") const {
    return make_env("mujoco:" + (folder_ / "pole.toml").string() + settings);
  }

 private:
  TemporaryFolder folder_;
};

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

struct BadRobot {
  ErrorCode code;
  const char *change, *problem, *remedy;
};

// Each appended to a good description of 9 lines.
TEST(MujocoRobots, errors_name_file_line_and_the_nearest_name) {
  const ErrorCode format = ErrorCode::bad_format, name = ErrorCode::unknown_name, range = ErrorCode::out_of_range;
  const std::vector<BadRobot> bad{
      {format, "frame_skip 3\n", "pole.toml' line 9: ", "docs/guide/robots.md"},
      {name, "[[observe]]\njoint = \"hinges\"\n", "pole.toml' line 10: no joint is called 'hinges'", "'hinge'"},
      {name, "[[observe]]\nvelocity = [\"slider\", \"hing\"]\n", "line 10: no joint is called 'hing'", "'hinge'"},
      {name, "[[reward]]\nbody = \"carts\"\naxis = \"x\"\n", "line 10: no body is called 'carts'", "'cart'"},
      {name, "[[reward]]\nbody = \"cart\"\naxis = \"w\"\n", "line 10: no axis of body 'cart' is called 'w'", "x, y, z"},
      {name, "[[observe]]\nsite = \"tipp\"\n", "line 10: no site is called 'tipp'", "'tip'"},
      {name, "[[observe]]\nsite = \"tip\"\nfrom = \"gaol\"\n", "line 10: no site is called 'gaol'", "'goal'"},
      {name, "[[observe]]\nsensor = \"anlge\"\n", "line 10: no sensor is called 'anlge'", "'angle'"},
      {name, "[[reward]]\naction = \"puch\"\n", "line 10: no actuator is called 'puch'", "'push'"},
      {name, "[[observe]]\njoin = \"hinge\"\n", "line 10: no quantity is called 'join'", "'joint'"},
      {name, "[[observe]]\njoint = \"hinge\"\nlimit = [0, 1]\n", "line 11: no key of [[observe]] is called 'limit'",
       "'limits'"},
      {name, "[[observe]]\njoint = \"hinge\"\napply = \"sine\"\n", "line 11: no function is called 'sine'", "'sin'"},
      {name, "[[observed]]\njoint = \"hinge\"\n", "line 9: no key of a robot is called 'observed'", "'observe'"},
      {name, "[[observe]]\nswitch = \"x\"\njoint = \"hinge\"\n", "line 10: no switch is called 'x'", "no switch"},
      {name, "[start]\npose.hing = 1\n", "line 10: no joint is called 'hing'", "'hinge'"},
      {name, "[start]\npositoin.uniform = 1\n", "line 10: no key of [start] is called 'positoin'", "'position'"},
      {format, "[start]\npose.loose = 1\n", "line 10: joint 'loose' is neither", "robots.md"},
      {format, "[[start.disc]]\njoints = [\"hinge\"]\n", "line 10: joints must be an array of two", "robots.md"},
      {format, "[start]\nposition = {uniform = 1, normal = 2}\n", "line 10: both uniform and normal", "robots.md"},
      {format, "[[observe]]\n", "line 9: no quantity; give one of joint", "robots.md"},
      {format, "[[observe]]\njoint = \"hinge\"\nbody = \"cart\"\n", "line 11: both joint and body", "robots.md"},
      {format, "[[observe]]\njoint = 3\n", "line 10: joint must be a text", "robots.md"},
      {format, "[[observe]]\njoint = []\n", "line 10: joint is an empty array", "robots.md"},
      {format, "[[observe]]\njoint = \"hinge\"\naxis = \"x\"\n", "line 10: joint 'hinge' is one number", "axis"},
      {format, "[[observe]]\njoint = \"hinge\"\nfrom = \"cart\"\n", "line 10: only a body or a site", "robots.md"},
      {format, "[[observe]]\njoint = \"hinge\"\nlimits = [1, 0]\n", "line 11: limits goes from 1 to 0", "robots.md"},
      {format, "[[observe]]\njoint = \"hinge\"\nlimits = 1\n", "line 11: limits must be an array of two", "robots.md"},
      {format, "[[observe]]\nvelocity = \"hinge\"\napply = \"sin\"\n", "line 10: hinge_velocity is not an angle",
       "apply"},
      {format, "[[observe]]\njoint = \"slider\"\n", "line 10: two observations are called 'slider'", "name"},
      {format, "[[observe]]\njoint = \"hinge\"\nname = [\"a\", \"b\"]\n", "line 10: 2 names of 1 numbers", "one name"},
      {format, "[[observe]]\naction = \"all\"\n", "line 10: action cannot be observed", "robots.md"},
      {format, "[[reward]]\nbody = \"cart\"\n", "line 10: reward '' has 3 numbers", "axis"},
      {format, "[[reward]]\nconstant = \"x\"\n", "line 10: constant must be a number", "robots.md"},
      {format, "[[reward]]\njoint = \"hinge\"\nrate = 1\n", "line 11: rate must be true or false", "robots.md"},
      {format, "[[reward]]\njoint = \"hinge\"\nrate = true\nbefore = true\n", "line 12: a rate is about", "robots.md"},
      {format, "[[end]]\njoint = \"hinge\"\n", "line 9: an end needs one of", "robots.md"},
      {format, "[end]\njoint = \"hinge\"\n", "write [[end]]", "robots.md"},
      {range, "[[reward]]\nconstant = 1\nweight = 1e99\n", "line 11: weight is 1e+99; legal", "Correct"},
      {range, "[[reward]]\nconstant = nan\n", "line 10: constant is nan; legal", "Correct"},
  };
  for (const BadRobot& one : bad) {
    SCOPED_TRACE(one.change);
    try {
      RobotFile(pole_robot + one.change).make();
      ADD_FAILURE() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), one.code) << error.what();
      EXPECT_NE(error.problem().find(one.problem), std::string::npos) << error.problem();
      EXPECT_NE(error.remedy().find(one.remedy), std::string::npos) << error.remedy();
    }
  }
  expect_error(format, "line 1: nothing is observed", [] { RobotFile("model = \"pole.xml\"\n").make(); });
  expect_error(format, "line 1: no model", [] { RobotFile("frame_skip = 1\n").make(); });
  expect_error(format, "frame_skip is 1.5, which is not an integer",
               [] { RobotFile("model = \"pole.xml\"\nframe_skip = 1.5\n").make(); });
  expect_error(range, "line 2: frame_skip is 0; legal: 1 to 1000",
               [] { RobotFile("model = \"pole.xml\"\nframe_skip = 0\n").make(); });
  expect_error(ErrorCode::cannot_open, "pole.toml' line 1: there is no file",
               [] { RobotFile("model = \"pool.xml\"\n[[observe]]\njoint = \"hinge\"\n").make(); });
  expect_error(ErrorCode::cannot_open, "nowhere.toml", [] { make_env("mujoco:nowhere.toml"); });
  expect_error(ErrorCode::missing_option, "needs a file", [] { make_env("mujoco"); });
}

// Mutated descriptions are read or refused; nothing else happens.
TEST(MujocoRobots, reader_takes_any_text) {
  std::vector<std::string> seeds;
  for (const char* const name : {"two_poles.toml", "arm.toml"}) {
    seeds.push_back(read_bytes(std::filesystem::path(MERCER_TEST_DATA) / "../../examples/robots" / name));
  }
  const std::string marks = "[]{}=\"'.,#\n\\0123e-+ntru\x01\xff";
  std::size_t read = 0, refused = 0;
  for (std::uint64_t run = 0; run < 20000; ++run) {
    Random random({5, Stage::simulate, run, 0});
    const auto below = [&](std::size_t count) {
      return static_cast<std::size_t>(random.uniform() * static_cast<double>(count));
    };
    const std::string& seed = seeds[run % seeds.size()];
    const std::size_t from = run % 4 < 2 ? 0 : below(seed.size());
    std::string text = seed.substr(from, run % 4 < 2 ? seed.size() : below(seed.size()));
    for (std::size_t edits = 1 + below(6); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(4)) {
        case 0:
          text[at] = marks[below(marks.size())];
          break;
        case 1:
          text.insert(at, 1, marks[below(marks.size())]);
          break;
        case 2:
          text.erase(at, 1 + below(12));
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(40)));
      }
    }
    try {
      read_robot(text, "mutated.toml", [](const std::string&, bool standard) { return standard; });
      ++read;
    } catch (const Error& error) {
      EXPECT_NE(error.problem().find("mutated.toml' line "), std::string::npos) << error.problem();
      ++refused;
    }
  }
  fmt::print("{} mutated descriptions were read, {} refused\n", read, refused);
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 1000);
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

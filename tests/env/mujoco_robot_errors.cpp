// Descriptions of robots that are wrong: errors with file, line and the nearest name.
#include <filesystem>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "env/mujoco/robot.hpp"
#include "mercer/env.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/robot_file.hpp"

namespace mercer {
namespace {

struct BadRobot {
  ErrorCode code;
  const char *change, *problem, *remedy;
};

// Each appended to a good description of 9 lines.
TEST(MujocoRobotErrors, name_file_line_and_the_nearest_name) {
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
TEST(MujocoRobotErrors, reader_takes_any_text) {
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

}  // namespace
}  // namespace mercer

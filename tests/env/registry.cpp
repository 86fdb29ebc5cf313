#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

TEST(EnvRegistry, knows_the_built_in_tasks) {
  std::vector<std::string> names;
  for (const EnvEntry& entry : known_envs()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    const bool simulated = entry.group == "MuJoCo" || entry.group == "Box2D";  // needs a library
    if (!simulated) names.push_back(entry.name);
  }
  names.resize(11);  // built-in ones come first
  EXPECT_EQ(names,
            (std::vector<std::string>{"pendulum", "pendulum-v0", "continuous-mountain-car", "mountain-car", "cart-pole",
                                      "acrobot", "quadrotor", "turntable", "noisy-bandit", "chain", "tabular"}));
  std::erase(names, "tabular");  // needs a file
  for (const std::string& name : names) EXPECT_EQ(make_env(name)->task().name, name);
}

TEST(EnvRegistry, names_the_nearest_task) {
  expect_error(ErrorCode::unknown_name, "no task is called 'pendulun'. Did you mean 'pendulum'?",
               [] { make_env("pendulun"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'cart-pole'?", [] { make_env("cartpole:x=1"); });
  expect_error(ErrorCode::unknown_name, "Known: pendulum, pendulum-v0", [] { make_env("zzzzzzzzzz"); });
  expect_error(ErrorCode::unknown_name, "no task is called ''", [] { make_env(""); });
}

TEST(EnvRegistry, names_the_nearest_setting) {
  expect_error(ErrorCode::unknown_name, "Did you mean 'alpha'?", [] { make_env("chain:n=5,alhpa=0.5"); });
  expect_error(ErrorCode::unknown_name, "no setting of task 'pendulum' is called 'gravity'",
               [] { make_env("pendulum:gravity=9"); });
  expect_error(ErrorCode::bad_value, "'20' has no value", [] { make_env("chain:20"); });
}

TEST(EnvRegistry, hands_settings_and_seed_to_the_task) {
  EXPECT_EQ(make_env("chain:n=20,alpha=0.7")->task().state.count, 20);
  EXPECT_EQ(make_env("chain:")->task().state.count, 10);
  EXPECT_NE(make_env("noisy-bandit", 1)->task().reward.high, make_env("noisy-bandit", 2)->task().reward.high);
}

// Contracts that every user of a task relies on.
TEST(EnvRegistry, tasks_are_sound) {
  for (const char* name :
       {"pendulum", "pendulum-v0", "continuous-mountain-car", "mountain-car", "cart-pole", "acrobot", "turntable",
        "noisy-bandit", "chain", "quadrotor", "quadrotor:goal=waypoints", "quadrotor:attitude=quaternion"}) {
    const Task task = make_env(name)->task();
    EXPECT_GE(task.time_limit, 1) << name;
    EXPECT_GE(task.gamma, 0) << name;
    EXPECT_LE(task.gamma, 1) << name;
    EXPECT_LE(task.reward.low, task.reward.high) << name;
    for (const Space* space : {&task.state, &task.observation, &task.action}) {
      std::set<std::string> names;
      for (const Axis& axis : space->axes) {
        EXPECT_FALSE(axis.name.empty()) << name;
        EXPECT_LE(axis.range.low, axis.range.high) << name;
        names.insert(axis.name);
      }
      EXPECT_EQ(names.size(), space->dimensions()) << name << ": names of axes must differ, files have columns of them";
      EXPECT_GE(space->dimensions(), 1) << name;
    }
  }
}

}  // namespace
}  // namespace mercer

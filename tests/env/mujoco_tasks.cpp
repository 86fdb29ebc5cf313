#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

const std::vector<const char*> physics_tasks{
    "swimmer", "hopper", "walker2d", "half-cheetah", "ant", "reacher", "inverted-double-pendulum"};

Rollouts play_threads(const Env& env, std::size_t threads, std::size_t batch) {
  const ThreadLimit limit(threads);
  RolloutOptions options;
  options.episodes = 70;
  options.seed = 11;
  options.horizon = 12;
  options.batch = batch;
  return rollout(env, UniformPolicy(env.task()), options);
}

TEST(MujocoTasks, play_the_same_bytes_on_any_number_of_threads_and_in_any_batch) {
  for (const char* const name : physics_tasks) {
    const auto env = make_env(name);
    const Rollouts expected = play_threads(*env, 1, 1);
    for (const std::size_t threads : {1, 2}) {
      for (const std::size_t batch : {1, 7, 64}) {
        const Rollouts played = play_threads(*env, threads, batch);
        EXPECT_EQ(played.offsets, expected.offsets) << name << threads << " threads, batch " << batch;
        EXPECT_EQ(played.states, expected.states) << name << threads << " threads, batch " << batch;
        EXPECT_EQ(played.observations, expected.observations) << name << threads << " threads, batch " << batch;
        EXPECT_EQ(played.rewards, expected.rewards) << name << threads << " threads, batch " << batch;
        EXPECT_EQ(played.final_observations, expected.final_observations) << name;
        EXPECT_EQ(played.terminated, expected.terminated) << name;
      }
    }
  }
}

// A row of a column that a step forgot, or took from another episode's mjData, would show here: episodes that take
// turns in one thread are those that have it to themselves.
TEST(MujocoTasks, episodes_that_take_turns_do_not_meet) {
  for (const char* const name : physics_tasks) {
    const auto env = make_env(name);
    const std::size_t actions = env->task().action.dimensions();
    SingleEpisode first(*env, 1, 0), second(*env, 1, 1), alone(*env, 1, 0);
    for (std::uint32_t t = 0; t < 30; ++t) {
      const std::vector<double> push(actions, std::sin(0.4 * t)), other(actions, t % 2 == 0 ? -1.0 : 1.0);
      const double reward = first.step(push);
      second.step(other);
      EXPECT_EQ(reward, alone.step(push)) << name;
    }
    EXPECT_EQ(first.state(), alone.state()) << name;
    EXPECT_NE(first.state(), second.state()) << name;
  }
}

TEST(MujocoTasks, state_what_a_contract_needs) {
  const auto hopper = make_env("hopper");
  const Task& task = hopper->task();
  std::vector<std::string> names;
  for (const Axis& axis : task.observation.axes) names.push_back(axis.name + " " + axis.unit);
  EXPECT_EQ(names, (std::vector<std::string>{"rootz m", "rooty rad", "thigh_joint rad", "leg_joint rad",
                                             "foot_joint rad", "rootx_velocity m/s", "rootz_velocity m/s",
                                             "rooty_velocity rad/s", "thigh_joint_velocity rad/s",
                                             "leg_joint_velocity rad/s", "foot_joint_velocity rad/s"}));
  EXPECT_EQ(task.observation.axes[5].range.high, 10);
  EXPECT_EQ(task.observation.axes[0].range.high, HUGE_VAL);
  EXPECT_EQ(task.action.axes[2].name, "foot_joint_control");
  EXPECT_EQ(task.action.axes[2].range.low, -1);
  EXPECT_EQ(task.time_limit, 1000);
  EXPECT_EQ(task.ending, Ending::failure);
  EXPECT_DOUBLE_EQ(task.dt, 0.008);
  EXPECT_EQ(task.reward.high, HUGE_VAL);
  EXPECT_EQ(task.state.dimensions(), 12);

  const auto pendulum = make_env("inverted-double-pendulum");
  EXPECT_EQ(pendulum->task().reward.high, 10);
  EXPECT_EQ(pendulum->task().reward.low, -HUGE_VAL);
  EXPECT_EQ(pendulum->task().observation.axes[1].name, "sin_hinge");
  EXPECT_EQ(pendulum->task().observation.axes[8].name, "slider_force");
  const auto reacher = make_env("reacher");
  EXPECT_EQ(reacher->task().reward.high, 0);
  EXPECT_EQ(reacher->task().time_limit, 50);
  EXPECT_EQ(reacher->task().ending, Ending::plain);
  EXPECT_EQ(make_env("ant")->task().observation.dimensions(), 27);
  EXPECT_EQ(make_env("half-cheetah")->task().observation.dimensions(), 17);
}

TEST(MujocoTasks, have_gymnasiums_names) {
  EXPECT_EQ(make_env("Hopper-v4")->task().name, "hopper");
  EXPECT_EQ(make_env("HalfCheetah-v3")->task().name, "half-cheetah");
  EXPECT_EQ(make_env("InvertedDoublePendulum-v4")->task().observation.dimensions(), 11);
  EXPECT_EQ(make_env("Ant-v4")->task().observation.dimensions(), 27);
  EXPECT_EQ(make_env("Ant-v3")->task().observation.dimensions(), 111);
  EXPECT_EQ(make_env("Ant-v3:mass=1.1")->task().observation.dimensions(), 111);
  EXPECT_EQ(make_env("ant:contact-forces=true")->task().observation.axes[110].range.high, 1);
  expect_error(ErrorCode::bad_value, "contact-forces is 'yes'", [] { make_env("ant:contact-forces=yes"); });
  expect_error(ErrorCode::unknown_name, "contact-force", [] { make_env("ant:contact-force=true"); });
}

// Spread of starts: half-cheetah's positions are uniform in +-0.1, its velocities normal with deviation 0.1.
TEST(MujocoTasks, start_with_their_noise) {
  constexpr std::size_t count = 4000;
  const auto check = [&](const char* name, std::size_t row, double low, double high, double deviation) {
    const auto env = make_env(name);
    std::vector<double> memory(env->rows() * count);
    std::vector<std::uint64_t> items(count);
    for (std::size_t i = 0; i < count; ++i) items[i] = i;
    const MatrixView<double> columns(memory.data(), env->rows(), count);
    env->reset({3, Stage::start, 0, items}, columns);
    const auto values = env->states_of(columns).row(row);
    double mean = 0, square = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) square += (value - mean) * (value - mean) / count;
    EXPECT_NEAR(mean, (low + high) / 2, 5 * deviation / std::sqrt(count)) << name << " " << row;
    EXPECT_NEAR(std::sqrt(square), deviation, 0.05 * deviation) << name << " " << row;
    EXPECT_GE(std::ranges::min(values), low) << name << " " << row;
    EXPECT_LE(std::ranges::max(values), high) << name << " " << row;
  };
  const double uniform = 1 / std::sqrt(3.0);
  check("half-cheetah", 4, -0.1, 0.1, 0.1 * uniform);
  check("half-cheetah", 12, -0.6, 0.6, 0.1);
  check("hopper", 1, 1.245, 1.255, 0.005 * uniform);
  check("hopper", 11, -0.005, 0.005, 0.005 * uniform);
  check("reacher", 3, -0.2, 0.2, 0.1);  // a coordinate of a disc has half its radius as deviation
  check("reacher", 4, -0.005, 0.005, 0.005 * uniform);
  const auto reacher = make_env("reacher");
  EXPECT_EQ(SingleEpisode(*reacher, 1, 0).state()[6], 0);  // the target rests
}

TEST(MujocoTasks, are_drawn_as_sticks) {
  const auto hopper = make_env("hopper");
  std::vector<double> upright(12);
  upright[0] = 5;
  upright[1] = 1.25;
  const Figure figure = hopper->figure(upright);
  ASSERT_EQ(figure.sticks.size(), 5);  // floor, torso, thigh, leg, foot
  EXPECT_EQ(figure.views, std::vector<Viewpoint>{Viewpoint::side});
  EXPECT_TRUE(figure.sticks[0].fixed);
  EXPECT_LT(figure.sticks[0].from[0], 5);
  EXPECT_GT(figure.sticks[0].to[0], 5);
  const Stick& torso = figure.sticks[1];
  EXPECT_FALSE(torso.fixed);
  EXPECT_NEAR(std::max(torso.from[2], torso.to[2]), 1.45, 1e-12);
  EXPECT_NEAR(std::min(torso.from[2], torso.to[2]), 1.05, 1e-12);
  EXPECT_NEAR(torso.from[0], 5, 1e-12);
  EXPECT_EQ(torso.radius, 0.05);

  const auto reacher = make_env("reacher");
  const Figure from_above = reacher->figure(std::vector<double>{0, 0, 0.15, -0.05, 0, 0, 0, 0});
  EXPECT_EQ(from_above.views, std::vector<Viewpoint>{Viewpoint::above});
  const Stick& target = from_above.sticks.back();
  EXPECT_TRUE(target.fixed);
  EXPECT_NEAR(target.from[0], 0.15, 1e-12);
  EXPECT_NEAR(target.from[1], -0.05, 1e-12);
  const auto ant = make_env("ant");
  const Figure both = ant->figure(SingleEpisode(*ant, 1, 0).state());
  EXPECT_EQ(both.views, (std::vector<Viewpoint>{Viewpoint::above, Viewpoint::side}));
  EXPECT_EQ(both.sticks.size(), 14);
}

}  // namespace
}  // namespace mercer

// Episodes that MuJoCo 2.2.2 played with the models of Gymnasium's v4 tasks (tests/data/golden/mujoco).
#include <algorithm>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "io/npz.hpp"
#include "mercer/env.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

using Rows = std::vector<std::vector<double>>;

struct GoldenRun {
  std::vector<double> start;  // qpos and qvel
  Rows actions, observations, states;
  std::vector<double> rewards, terminated;
};

Rows rows_of(const Array& array) {
  const std::vector<double> numbers = array.as_doubles();
  const std::size_t width = array.shape[1];
  Rows out;
  for (auto row = numbers.begin(); row != numbers.end(); row += static_cast<std::ptrdiff_t>(width)) {
    out.emplace_back(row, row + static_cast<std::ptrdiff_t>(width));
  }
  return out;
}

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string golden_file(std::string task) {
  std::ranges::replace(task, '-', '_');
  return fmt::format("{}/golden/mujoco/{}.npz", MERCER_TEST_DATA, task);
}

std::vector<GoldenRun> golden_runs(const std::string& task) {
  const Arrays arrays = read_npz(golden_file(task));
  std::vector<GoldenRun> runs;
  for (int i = 0; i < 4; ++i) {
    const auto get = [&](const char* name) { return arrays.at(fmt::format("{}_{}", i, name)); };
    GoldenRun run{joined(get("qpos0").as_doubles(), get("qvel0").as_doubles()),
                  rows_of(get("actions")),
                  rows_of(get("observations")),
                  {},
                  get("rewards").as_doubles(),
                  get("terminated").as_doubles()};
    const Rows qpos = rows_of(get("qpos")), qvel = rows_of(get("qvel"));
    for (std::size_t k = 0; k < qpos.size(); ++k) run.states.push_back(joined(qpos[k], qvel[k]));
    runs.push_back(std::move(run));
  }
  return runs;
}

// Largest difference, relative to numbers above one.
double off(const std::vector<double>& found, const std::vector<double>& golden) {
  EXPECT_EQ(found.size(), golden.size());
  double worst = 0;
  for (std::size_t d = 0; d < found.size(); ++d) {
    worst = std::max(worst, std::abs(found[d] - golden[d]) / std::max(1.0, std::abs(golden[d])));
  }
  return worst;
}

class GoldenMujoco : public testing::TestWithParam<const char*> {};

TEST_P(GoldenMujoco, has_its_frames) {
  const Arrays arrays = read_npz(golden_file(GetParam()));
  const double golden = arrays.at("frame_skip").as_doubles()[0] * arrays.at("timestep").as_doubles()[0];
  EXPECT_DOUBLE_EQ(make_env(GetParam())->task().dt, golden);
}

TEST_P(GoldenMujoco, follows_whole_episodes) {
  const auto env = make_env(GetParam());
  double worst_state = 0, worst_observation = 0, worst_reward = 0;
  std::size_t ends = 0;
  for (const GoldenRun& run : golden_runs(GetParam())) {
    SingleEpisode play(*env, run.start);
    const std::size_t steps = std::min<std::size_t>(20, run.actions.size());
    for (std::size_t k = 0; k < steps; ++k) {
      worst_observation = std::max(worst_observation, off(play.observation(), run.observations[k]));
      worst_reward = std::max(worst_reward, off({play.step(run.actions[k])}, {run.rewards[k]}));
      worst_state = std::max(worst_state, off(play.state(), run.states[k]));
      EXPECT_EQ(play.terminated(), run.terminated[k] != 0) << "step " << k;
      ends += play.terminated() ? 1 : 0;
    }
    worst_observation = std::max(worst_observation, off(play.observation(), run.observations[steps]));
  }
  fmt::print("first 20 steps of {}: state {:.1e}, observation {:.1e}, reward {:.1e}; {} of 4 episodes ended\n",
             GetParam(), worst_state, worst_observation, worst_reward, ends);
  EXPECT_LE(worst_state, 1e-6);
  EXPECT_LE(worst_observation, 1e-6);
  EXPECT_LE(worst_reward, 1e-6);
}

// From a state alone the solver starts cold, and positions of bodies do not lag yet: rewards that compare them with
// those before the step are another matter.
TEST_P(GoldenMujoco, steps_from_recorded_states) {
  const std::string task = GetParam();
  const bool lags = task == "ant" || task == "reacher";
  const auto env = make_env(task);
  double worst_state = 0, worst_observation = 0, worst_reward = 0;
  for (const GoldenRun& run : golden_runs(task)) {
    for (std::size_t k = 0; k < run.actions.size(); ++k) {
      SingleEpisode play(*env, k == 0 ? run.start : run.states[k - 1]);
      const double reward = play.step(run.actions[k]);
      worst_state = std::max(worst_state, off(play.state(), run.states[k]));
      worst_observation = std::max(worst_observation, off(play.observation(), run.observations[k + 1]));
      if (!lags) worst_reward = std::max(worst_reward, off({reward}, {run.rewards[k]}));
      EXPECT_EQ(play.terminated(), run.terminated[k] != 0) << "step " << k;
    }
  }
  fmt::print("single steps of {}: state {:.1e}, observation {:.1e}, reward {:.1e}{}\n", task, worst_state,
             worst_observation, worst_reward, lags ? " (not compared)" : "");
  EXPECT_LE(worst_state, 1e-8);
  EXPECT_LE(worst_observation, 1e-8);
  EXPECT_LE(worst_reward, 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Tasks, GoldenMujoco,
                         testing::Values("swimmer", "hopper", "walker2d", "half-cheetah", "ant",
                                         "inverted-double-pendulum", "reacher"));

}  // namespace
}  // namespace mercer

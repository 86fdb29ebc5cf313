#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "io/file.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/plain_rollout.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

class RolloutsCsv : public testing::Test {
 protected:
  Rollouts read(const std::string& text, double gamma = 0.99) {
    std::ofstream(folder_ / "r.csv") << text;
    return read_rollouts(folder_ / "r.csv", gamma);
  }
  void refused(const std::string& part, const std::string& text) {
    expect_error(ErrorCode::bad_format, part, [&] { read(text); });
  }

  TemporaryFolder folder_;
};

TEST_F(RolloutsCsv, keeps_every_number) {
  for (const char* spec : {"pendulum", "cart-pole", "continuous-mountain-car", "chain"}) {
    const auto env = make_env(spec);
    const UniformPolicy policy(env->task());
    const Rollouts before = rollout(*env, policy, {.episodes = 4, .seed = 7, .gamma = 0.9, .horizon = 40});
    write_rollouts(folder_ / "r.csv", before);
    const Rollouts after = read_rollouts(folder_ / "r.csv", 0.9);
    expect_same_numbers(before, after, spec);
    EXPECT_EQ(after.state_names, before.state_names);
    EXPECT_EQ(after.observation_names, before.observation_names);
    EXPECT_EQ(after.action_names, before.action_names);
    EXPECT_EQ(after.gamma, 0.9);
    EXPECT_EQ(after.env, "");  // a .csv says none of these
    EXPECT_EQ(after.policy, "");
    EXPECT_EQ(after.seed, 0);
  }
}

// States 0, 1, 2 in a row, the last of which ends the episode.
TEST_F(RolloutsCsv, is_a_line_a_step_and_one_that_closes) {
  const TabularEnv env("walk", {3, 1, {0, 1, 0, 0, 0, 1, 0, 0, 1}, {1, 2, 4}, {1, 0, 0}, 0.5, 10, {0, 0, 1}});
  write_rollouts(folder_ / "r.csv", rollout(env, TabularPolicy("only", 3, 1, {1, 1, 1}), {.episodes = 2}));
  EXPECT_EQ(read_text(folder_ / "r.csv"),
            "episode,step,state.state,obs.state,action.action,reward,terminated\n"
            "0,0,0,0,0,1,0\n0,1,1,1,0,2,1\n0,2,,2,,,\n"
            "1,0,0,0,0,1,0\n1,1,1,1,0,2,1\n1,2,,2,,,\n");
}

// What somebody else's program may have logged: no states, no steps, no flags, columns in any order, other numbers.
TEST_F(RolloutsCsv, reads_a_plain_log) {
  const Rollouts r = read(
      "reward,action.push,episode,obs.x,obs.y,comment\n"
      "1,0.5,10,1,2,7\n"
      "2,0.25,10,3,4,\n"
      "4,0.125,12,5,6,7\n",
      0.5);
  EXPECT_EQ(r.offsets, (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(r.observation_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(r.observations, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(r.actions, (std::vector<double>{0.5, 0.25, 0.125}));
  EXPECT_EQ(r.returns, (std::vector<double>{3, 4}));
  EXPECT_EQ(r.discounted_returns, (std::vector<double>{2, 4}));  // 1 + 0.5 * 2
  EXPECT_EQ(r.terminated, (std::vector<std::uint8_t>{0, 0}));
  EXPECT_TRUE(r.states.empty() && r.start_states.empty() && r.state_names.empty());
  ASSERT_EQ(r.final_observations.size(), 4);
  for (const double value : r.final_observations) EXPECT_TRUE(std::isnan(value));  // nothing is known of them
}

TEST_F(RolloutsCsv, a_closing_line_holds_the_last_observation) {
  const Rollouts r = read("episode,obs.x,action.a,reward,terminated\n0,1,2,3,1\n0,4,,,\n1,5,6,7,0\n1,8,,,\n");
  EXPECT_EQ(r.final_observations, (std::vector<double>{4, 8}));
  EXPECT_EQ(r.terminated, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(r.steps(), 2);
}

TEST_F(RolloutsCsv, refuses_missing_columns) {
  refused("there is no column 'episode'", "obs.x,action.a,reward\n1,2,3\n");
  refused("there is no column 'reward'", "episode,obs.x,action.a\n1,2,3\n");
  refused("there is no column 'obs.NAME'", "episode,action.a,reward\n1,2,3\n");
  refused("there is no column 'action.NAME'", "episode,obs.x,reward\n1,2,3\n");
  refused("the file is empty", "");
}

TEST_F(RolloutsCsv, refuses_lines_that_make_no_episode) {
  const std::string header = "episode,obs.x,action.a,reward\n";
  refused("line 3: 'x' is not a number", header + "0,1,2,3\n0,x,2,3\n");
  refused("line 2: 3 fields where the header has 4", header + "0,1,2\n");
  refused("line 2 opens an episode without a reward", header + "0,1,,\n");
  refused("line 3: 'obs.x' is nan", header + "0,1,2,3\n0,,2,3\n");
  refused("line 3: 'action.a' is nan", header + "0,1,2,3\n0,1,,3\n");
  refused("line 2: 'action.a' is inf", header + "0,1,inf,3\n");
  refused("line 2: 'reward' is inf", header + "0,1,2,inf\n");
  refused("line 2: 'episode' is nan", header + ",1,2,3\n");
  refused("line 4 comes back to episode 0", header + "0,1,2,3\n1,1,2,3\n0,1,2,3\n");
  refused("line 4 continues episode 0 after its closing line", header + "0,1,2,3\n0,1,,\n0,1,2,3\n");
}

TEST_F(RolloutsCsv, needs_steps) {
  const auto env = make_env("pendulum");
  const Rollouts returns = rollout(*env, UniformPolicy(env->task()), {.episodes = 2, .keep_steps = false});
  expect_error(ErrorCode::missing_option, "returns only", [&] { write_rollouts(folder_ / "r.csv", returns); });
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r.csv"));
}

}  // namespace
}  // namespace mercer

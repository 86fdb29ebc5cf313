#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

// Three states, two actions. State 1 ends an episode; nothing ever leads to state 0.
TabularMdp small() {
  return {3,
          2,
          {0, 0.25, 0.75, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0.5, 0.5, 0, 0.1, 0.9},
          {1, -2, 3, 4, 5, 6},
          {0.2, 0, 0.8},
          0.9,
          50,
          {0, 1, 0}};
}

// A count of n draws with probability p is off by sqrt(n p (1 - p)); five of those, and none at all where p is 0.
void expect_frequency(int hits, int n, double p, const std::string& what) {
  EXPECT_NEAR(hits, n * p, 5 * std::sqrt(n * p * (1 - p))) << what;
}

TEST(TabularEnv, draws_starts_and_next_states_by_their_probabilities) {
  const TabularMdp mdp = small();
  const TabularEnv env("small", mdp);
  const int n = 20000;
  std::vector<int> starts(3);
  std::vector<int> next(18);
  for (std::uint64_t e = 0; e < n; ++e) {
    ++starts[static_cast<std::size_t>(SingleEpisode(env, 1, e).state()[0])];
    for (std::size_t pair = 0; pair < 6; ++pair) {
      // Draws are keyed by episode and step: other episodes for every pair, so that the counts are independent.
      const std::uint64_t item = e * 6 + pair;
      std::vector<double> state{static_cast<double>(pair / 2)}, action{static_cast<double>(pair % 2)};
      double reward = 0;
      std::uint8_t terminated = 2;
      env.step({state.data(), 1, 1}, MatrixView<const double>(action.data(), 1, 1),
               {1, Stage::transition, 0, std::span(&item, 1)}, std::span(&reward, 1), std::span(&terminated, 1));
      ++next[pair * 3 + static_cast<std::size_t>(state[0])];
      ASSERT_EQ(reward, mdp.r[pair]);
      ASSERT_EQ(terminated, state[0] == 1);
    }
  }
  for (std::size_t s = 0; s < 3; ++s) expect_frequency(starts[s], n, mdp.mu[s], "start " + std::to_string(s));
  for (std::size_t i = 0; i < 18; ++i) expect_frequency(next[i], n, mdp.P[i], "entry " + std::to_string(i) + " of P");
}

// State 0 has the numbers below u, the very number that is drawn: the draw belongs to the next possible state.
TEST(TabularEnv, a_draw_on_the_edge_never_gives_an_impossible_state) {
  for (std::uint64_t e = 0; e < 100; ++e) {
    const double u = Random({1, Stage::transition, e, 0}).uniform();
    const TabularEnv env("edge", {3, 1, {u, 0, 1 - u, 0, 1, 0, 0, 0, 1}, {0, 0, 0}, {1, 0, 0}, 1, 1, {}});
    SingleEpisode play(env, 1, e);
    play.step({0});
    EXPECT_EQ(play.state()[0], 2);
  }
}

TEST(TabularEnv, declares_the_range_of_its_rewards) {
  const TabularEnv env("small", small());
  EXPECT_EQ(env.task().reward.low, -2);
  EXPECT_EQ(env.task().reward.high, 6);
  EXPECT_EQ(env.return_range(10).low, -20);
  EXPECT_EQ(env.return_range(10).high, 60);
  EXPECT_EQ(env.task().state.count, 3);
  EXPECT_EQ(env.task().action.count, 2);
  EXPECT_EQ(env.task().time_limit, 50);
  EXPECT_EQ(env.task().gamma, 0.9);
}

TEST(TabularEnv, a_wrong_action_does_not_read_outside_the_table) {
  const TabularEnv env("small", small());
  for (const double action : {-1.0, 2.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
    SingleEpisode play(env, {2});
    expect_error(ErrorCode::out_of_range, "legal: 0 to 1", [&] { play.step({action}); });
  }
}

TEST(TabularEnv, rows_may_miss_one_as_printed_decimals_do) {
  TabularMdp mdp = small();
  mdp.P[1] += 9e-7;
  const TabularEnv env("small", mdp);
  mdp.P[1] += 2e-6;
  expect_error(ErrorCode::bad_distribution, "small: P[0][0] sums to 1.0000029",
               [&] { const TabularEnv broken("small", mdp); });
}

TEST(TabularEnv, refuses_what_is_no_process) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](ErrorCode code, const std::string& part, const auto& damage) {
    TabularMdp mdp = small();
    damage(mdp);
    expect_error(code, part, [&] { const TabularEnv env("small", mdp); });
  };
  refused(ErrorCode::bad_distribution, "P[2][1][0] is -0.5", [](TabularMdp& m) { m.P[15] = -0.5; });
  refused(ErrorCode::bad_distribution, "P[1][0][1] is nan", [&](TabularMdp& m) { m.P[7] = nan; });
  refused(ErrorCode::bad_distribution, "mu sums to 0.8", [](TabularMdp& m) { m.mu[0] = 0; });
  refused(ErrorCode::not_finite, "r[1][1] is nan", [&](TabularMdp& m) { m.r[3] = nan; });
  refused(ErrorCode::not_finite, "r[0][0] is inf", [](TabularMdp& m) { m.r[0] = HUGE_VAL; });
  refused(ErrorCode::shape_mismatch, "P has 17 numbers and needs 18", [](TabularMdp& m) { m.P.pop_back(); });
  refused(ErrorCode::shape_mismatch, "r has 5 numbers and needs 6", [](TabularMdp& m) { m.r.pop_back(); });
  refused(ErrorCode::shape_mismatch, "mu has 4 numbers and needs 3", [](TabularMdp& m) { m.mu.push_back(0); });
  refused(ErrorCode::shape_mismatch, "terminal has 2 numbers", [](TabularMdp& m) { m.terminal.pop_back(); });
  refused(ErrorCode::out_of_range, "gamma is 1.5", [](TabularMdp& m) { m.gamma = 1.5; });
  refused(ErrorCode::out_of_range, "horizon is 0", [](TabularMdp& m) { m.horizon = 0; });
  refused(ErrorCode::out_of_range, "number of states is 0", [](TabularMdp& m) { m = {}; });
  refused(ErrorCode::shape_mismatch, "r has 0 numbers and needs 6", [](TabularMdp& m) { m.r.clear(); });
}

}  // namespace
}  // namespace mercer

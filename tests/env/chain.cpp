#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

TEST(Chain, transitions_are_as_described) {
  for (const std::size_t n : {2, 3, 8}) {
    for (const double alpha : {0.0, 0.3, 0.5, 1.0}) {
      const auto env = make_env(fmt::format("chain:n={},alpha={}", n, alpha));
      const TabularMdp& mdp = dynamic_cast<const TabularEnv&>(*env).mdp();
      ASSERT_EQ(mdp.n, n);
      ASSERT_EQ(mdp.m, 2);
      for (std::size_t s = 0; s < n; ++s) {
        const std::size_t to_left = s == 0 ? 0 : s - 1, to_right = s == n - 1 ? s : s + 1;
        std::vector<double> left(n, 0), right(n, 0);  // the two actions; at an end the state stays
        left[to_left] += alpha, left[to_right] += 1 - alpha;
        right[to_right] += alpha, right[to_left] += 1 - alpha;
        for (std::size_t next = 0; next < n; ++next) {
          EXPECT_EQ(mdp.P[(s * 2 + 0) * n + next], left[next]) << n << " " << alpha << " " << s;
          EXPECT_EQ(mdp.P[(s * 2 + 1) * n + next], right[next]) << n << " " << alpha << " " << s;
        }
        EXPECT_EQ(mdp.r[s * 2], s == n - 1 ? 1 : 0);
        EXPECT_EQ(mdp.r[s * 2 + 1], s == n - 1 ? 1 : 0);
        EXPECT_EQ(mdp.mu[s], s == 0 ? 1 : 0);
      }
    }
  }
}

TEST(Chain, without_slips_is_a_walk) {
  const auto env = make_env("chain:n=3");
  SingleEpisode play(*env, 1, 0);
  std::vector<double> states{play.state()[0]}, rewards;
  for (const double action : {0, 1, 1, 1, 0, 0, 0}) {
    rewards.push_back(play.step({action}));
    states.push_back(play.state()[0]);
    EXPECT_FALSE(play.terminated());
  }
  EXPECT_EQ(states, (std::vector<double>{0, 0, 1, 2, 2, 1, 0, 0}));
  EXPECT_EQ(rewards, (std::vector<double>{0, 0, 0, 1, 1, 0, 0}));  // paid for what is left from the last state
}

// Of N steps right from the middle, alpha N succeed, give or take sqrt(N alpha (1 - alpha)); five of those.
TEST(Chain, slips_as_often_as_it_says) {
  const auto env = make_env("chain:n=3,alpha=0.7");
  const int count = 20000;
  int right = 0;
  for (std::uint64_t e = 0; e < count; ++e) {
    SingleEpisode play(*env, 3, e);
    play.step({1});
    right += play.state()[0] == 1;
  }
  EXPECT_NEAR(right, 0.7 * count, 5 * std::sqrt(count * 0.7 * 0.3));
}

TEST(Chain, settings_have_defaults_and_ranges) {
  const Task task = make_env("chain")->task();
  EXPECT_EQ(task.state.count, 10);
  EXPECT_EQ(task.time_limit, 100);
  EXPECT_EQ(make_env("chain:horizon=7,n=4")->task().time_limit, 7);
  expect_error(ErrorCode::out_of_range, "n is 1; legal: 2 to 10000", [] { make_env("chain:n=1"); });
  expect_error(ErrorCode::out_of_range, "alpha is 1.5", [] { make_env("chain:alpha=1.5"); });
  expect_error(ErrorCode::out_of_range, "horizon is 0", [] { make_env("chain:horizon=0"); });
}

}  // namespace
}  // namespace mercer

#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/single_episode.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

// The bell over arms i = 1..N, as the definition has it.
double bell(std::size_t arm, std::size_t arms) {
  const double x = static_cast<double>(arm) - static_cast<double>(arms) / 2;
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
}

TEST(NoisyBandit, without_noise_is_a_bell) {
  for (const std::size_t arms : {2, 7, 50}) {
    const auto env = make_env(fmt::format("noisy-bandit:arms={},lambda=0", arms));
    EXPECT_EQ(env->task().action.count, arms);
    EXPECT_EQ(env->task().time_limit, 1);
    for (std::size_t i = 1; i <= arms; ++i) {
      SingleEpisode play(*env, {0});
      EXPECT_NEAR(play.step({static_cast<double>(i - 1)}), bell(i, arms), 1e-16);
      EXPECT_TRUE(play.terminated());
      EXPECT_EQ(play.state()[0], 0);
    }
  }
  EXPECT_NEAR(make_env("noisy-bandit:lambda=0")->task().reward.high, 0.3989422804, 1e-10);  // 1 / sqrt(2 pi), arm 25
}

// N normal numbers: the mean is off by about lambda / sqrt(N), the variance by lambda^2 sqrt(2 / N), the fourth moment
// by lambda^4 sqrt(96 / N). Five of each.
TEST(NoisyBandit, noise_is_normal_with_variance_lambda_squared) {
  const std::size_t arms = 100000;
  const double lambda = 0.3;
  const TabularMdp mdp = make_noisy_bandit(arms, lambda, 1);
  double sum = 0, squares = 0, fourths = 0;
  for (std::size_t i = 1; i <= arms; ++i) {
    const double u = (mdp.r[i - 1] - bell(i, arms)) / lambda;
    sum += u;
    squares += u * u;
    fourths += u * u * u * u;
  }
  const double n = arms;
  fmt::print("mean {:.4f}, variance {:.4f} (1), fourth moment {:.4f} (3)\n", sum / n, squares / n, fourths / n);
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourths / n, 3, 5 * std::sqrt(96 / n));
}

TEST(NoisyBandit, noise_is_fixed_by_the_seed) {
  EXPECT_EQ(make_noisy_bandit(50, 0.1, 7).r, make_noisy_bandit(50, 0.1, 7).r);
  const std::vector<double> one = make_noisy_bandit(50, 0.1, 7).r, other = make_noisy_bandit(50, 0.1, 8).r;
  for (std::size_t i = 0; i < 50; ++i) EXPECT_NE(one[i], other[i]);

  // The seed that a task is made with is that seed.
  const auto env = make_env("noisy-bandit", 7);
  EXPECT_EQ(dynamic_cast<const TabularEnv&>(*env).mdp().r, one);
}

TEST(NoisyBandit, refuses_settings_out_of_range) {
  expect_error(ErrorCode::out_of_range, "arms is 1", [] { make_env("noisy-bandit:arms=1"); });
  expect_error(ErrorCode::out_of_range, "lambda is -1", [] { make_env("noisy-bandit:lambda=-1"); });
}

}  // namespace
}  // namespace mercer

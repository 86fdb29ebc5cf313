#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

// The equations of motion of Barto, Sutton and Anderson (1983) without friction,
//   (M + m) x'' + m l cos(theta) theta'' = F + m l theta'^2 sin(theta)
//   cos(theta) x'' + (4/3) l theta''     = g sin(theta),
// solved by Cramer's rule, then one Euler step. M = 1, m = 0.1, l = 0.5 (half the pole), g = 9.8, F = +-10, dt = 0.02.
std::vector<double> plain_step(const std::vector<double>& s, double action) {
  const double M = 1, m = 0.1, l = 0.5, g = 9.8, dt = 0.02, F = action == 1 ? 10 : -10;
  const double c = std::cos(s[2]), d = std::sin(s[2]);
  const double a11 = M + m, a12 = m * l * c, b1 = F + m * l * s[3] * s[3] * d;
  const double a21 = c, a22 = 4.0 / 3.0 * l, b2 = g * d;
  const double determinant = a11 * a22 - a12 * a21;
  const double acceleration = (b1 * a22 - a12 * b2) / determinant;
  const double angular_acceleration = (a11 * b2 - b1 * a21) / determinant;
  return {s[0] + dt * s[1], s[1] + dt * acceleration, s[2] + dt * s[3], s[3] + dt * angular_acceleration};
}

TEST(CartPole, solves_its_equations_of_motion) {
  const auto env = make_env("cart-pole");
  double worst = 0;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    Random random({6, Stage::task, i, 0});
    std::vector<double> state;
    for (const double width : {2.4, 3.0, 0.21, 3.0}) state.push_back(width * (2 * random.uniform() - 1));
    const double action = i % 2 == 0 ? 0 : 1;
    const std::vector<double> expected = plain_step(state, action);
    SingleEpisode play(*env, state);
    EXPECT_EQ(play.step({action}), 1);
    EXPECT_EQ(play.observation(), play.state());
    for (std::size_t d = 0; d < 4; ++d) worst = std::max(worst, std::abs(play.state()[d] - expected[d]));
  }
  fmt::print("largest deviation from the solved equations: {:.1e}\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(CartPole, ends_past_its_limits_and_still_pays_that_step) {
  const auto env = make_env("cart-pole");
  const double limit = 12 * std::numbers::pi / 180;
  const auto ends = [&](std::vector<double> state) {
    SingleEpisode play(*env, std::move(state));
    EXPECT_EQ(play.step({1}), 1);
    return play.terminated();
  };
  // A step moves the cart by 0.02 of its speed and the pole by 0.02 of its angular speed.
  EXPECT_TRUE(ends({2.39, 1, 0, 0}));
  EXPECT_TRUE(ends({-2.39, -1, 0, 0}));
  EXPECT_FALSE(ends({2.37, 1, 0, 0}));
  EXPECT_FALSE(ends({2.4, 0, 0, 0}));  // at the limit is not past it
  EXPECT_TRUE(ends({0, 0, limit - 0.01, 1}));
  EXPECT_TRUE(ends({0, 0, -limit + 0.01, -1}));
  EXPECT_FALSE(ends({0, 0, limit - 0.03, 1}));
  EXPECT_FALSE(ends({0, 0, limit, 0}));
}

TEST(CartPole, declares_gymnasiums_contract) {
  const Task task = make_env("cart-pole")->task();
  EXPECT_EQ(task.time_limit, 500);
  EXPECT_EQ(task.dt, 0.02);
  EXPECT_EQ(task.action.count, 2);
  EXPECT_EQ(task.state.axes[0].range.high, 4.8);  // twice the limit, as Gymnasium declares
  EXPECT_NEAR(task.state.axes[2].range.high, 24 * std::numbers::pi / 180, 1e-15);
}

}  // namespace
}  // namespace mercer

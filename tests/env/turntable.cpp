#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

using std::numbers::pi;

struct Bumps {
  std::vector<double> places, widths, heights;

  // Written with half angles, 1 - cos x = 2 sin^2(x/2), and so not as the task computes it.
  double at(double angle) const {
    double sum = 0;
    for (std::size_t j = 0; j < places.size(); ++j) {
      const double chord = std::sin((angle - places[j]) / 2) / widths[j];
      sum += heights[j] * std::exp(-2 * chord * chord);
    }
    return sum;
  }
};

// What `turntable:bumps=M` promises: evenly spaced, width 0.2, the j-th of height (j+1)/M.
Bumps even_bumps(int count) {
  Bumps bumps;
  for (int j = 0; j < count; ++j) {
    bumps.places.push_back(-pi + (j + 0.5) * 2 * pi / count);
    bumps.widths.push_back(0.2);
    bumps.heights.push_back((j + 1.0) / count);
  }
  return bumps;
}

double reward_at(const Env& env, double angle) {
  SingleEpisode play(env, {0});
  const double reward = play.step({angle});
  EXPECT_TRUE(play.terminated());
  return reward;
}

TEST(Turntable, reward_is_the_sum_of_its_bumps) {
  const Bumps two{{-1, 2}, {0.1, 0.5}, {1, -2}};
  for (const auto& [spec, bumps] : {std::pair{"turntable", even_bumps(8)},
                                    {"turntable:bumps=3", even_bumps(3)},
                                    {"turntable:places=-1;2,widths=0.1;0.5,heights=1;-2", two}}) {
    const auto env = make_env(spec);
    for (int i = 0; i <= 5000; ++i) {
      const double angle = -pi + 2 * pi * i / 5000;
      // exp(-100 (1 - cos)) at the narrowest bump magnifies the rounding of the cosine a hundredfold.
      ASSERT_NEAR(reward_at(*env, angle), bumps.at(angle), 1e-13) << spec << " at " << angle;
    }
  }
}

TEST(Turntable, is_a_circle) {
  const auto env = make_env("turntable:places=3.1;-1,widths=0.3;0.3,heights=1;2");
  EXPECT_TRUE(env->task().action.axes[0].periodic);
  EXPECT_NEAR(reward_at(*env, -pi), reward_at(*env, pi), 1e-14);
  EXPECT_NEAR(reward_at(*env, 0.3 - 2 * pi), reward_at(*env, 0.3), 1e-14);
  EXPECT_GT(reward_at(*env, -pi), 0.9);  // the bump at 3.1 reaches over the seam
}

// Bumps 0.785 apart and 0.2 wide hardly overlap: by exp((cos 0.785 - 1) / 0.04) = 7e-4.
TEST(Turntable, peaks_where_its_bumps_stand) {
  const auto env = make_env("turntable");
  const Bumps bumps = even_bumps(8);
  double best_angle = 0, best = 0;
  for (int i = 0; i <= 62832; ++i) {
    const double angle = -pi + i * 1e-4;
    const double reward = reward_at(*env, angle);
    if (reward > best) best_angle = angle, best = reward;
  }
  EXPECT_NEAR(best_angle, bumps.places.back(), 1e-3);
  EXPECT_NEAR(best, 1, 1e-2);
  for (std::size_t j = 0; j < 8; ++j) {
    const double peak = reward_at(*env, bumps.places[j]);
    EXPECT_NEAR(peak, bumps.heights[j], 1e-2);
    EXPECT_GT(peak, reward_at(*env, bumps.places[j] - 0.05));
    EXPECT_GT(peak, reward_at(*env, bumps.places[j] + 0.05));
  }
}

TEST(Turntable, reward_bounds_hold) {
  for (const char* spec : {"turntable", "turntable:bumps=1", "turntable:bumps=40",
                           "turntable:places=-1;2,widths=0.1;0.5,heights=1;-2", "turntable:places=0,widths=9"}) {
    const auto env = make_env(spec);
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (int i = 0; i <= 20000; ++i) {
      const double reward = reward_at(*env, -pi + 2 * pi * i / 20000);
      low = std::min(low, reward);
      high = std::max(high, reward);
    }
    const Range promised = env->task().reward;
    fmt::print("{}: reward {:.4f} to {:.4f}, promised {:.4f} to {:.4f}, slack {:.2g} below and {:.2g} above\n", spec,
               low, high, promised.low, promised.high, low - promised.low, promised.high - high);
    EXPECT_GE(low, promised.low) << spec;
    EXPECT_LE(high, promised.high) << spec;
    EXPECT_EQ(env->return_range(1).low, promised.low);  // one step: the return is the reward
    EXPECT_EQ(env->return_range(1).high, promised.high);
  }
}

TEST(Turntable, refuses_lists_that_do_not_match) {
  const auto make = [](const char* spec) { return [spec] { make_env(spec); }; };
  expect_error(ErrorCode::shape_mismatch, "2 places, 3 widths and 2 heights",
               make("turntable:places=0;1,widths=1;1;1"));
  expect_error(ErrorCode::shape_mismatch, "8 places, 8 widths and 1 heights", make("turntable:heights=1"));
  expect_error(ErrorCode::shape_mismatch, "0 places", make("turntable:places="));
  expect_error(ErrorCode::out_of_range, "places is 3.2", make("turntable:places=3.2"));
  expect_error(ErrorCode::out_of_range, "widths is 0;", make("turntable:places=0,widths=0"));
  expect_error(ErrorCode::bad_value, "'x', which is not a number", make("turntable:places=0;x"));
}

}  // namespace
}  // namespace mercer

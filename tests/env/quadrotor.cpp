#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/errors.hpp"
#include "support/hover_controller.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

constexpr double hover_thrust = 0.028 * 9.81 / 4;
constexpr double full_thrust = 0.16;

double distance(const std::vector<double>& observation) {
  return std::hypot(observation[0], observation[1], observation[2]);
}

struct Flight {
  double total = 0;     // reward
  double farthest = 0;  // from the target after the `settled` steps of each leg
  std::uint32_t steps = 0;
};

Flight fly(const Env& env, std::uint64_t episode, std::uint32_t leg, std::uint32_t settled) {
  SingleEpisode play(env, 3, episode);
  Flight out;
  while (!play.terminated() && play.steps() < env.task().time_limit) {
    out.total += play.step(hover_action(play.observation()));
    if (play.steps() % leg > settled) out.farthest = std::max(out.farthest, distance(play.observation()));
  }
  out.steps = play.steps();
  return out;
}

TEST(Quadrotor, a_cascaded_controller_hovers) {
  const auto env = make_env("quadrotor");
  double farthest = 0, worst = 500, mean = 0;
  for (std::uint64_t episode = 0; episode < 100; ++episode) {
    const Flight flight = fly(*env, episode, 500, 400);
    ASSERT_EQ(flight.steps, 500);
    farthest = std::max(farthest, flight.farthest);
    worst = std::min(worst, flight.total);
    mean += flight.total / 100;
  }
  fmt::print("hover: {:.4f} m off in the last second at most, return {:.1f}, worst {:.1f}, of 500\n", farthest, mean,
             worst);
  EXPECT_LE(farthest, 0.01);
  EXPECT_GE(worst, 430);
}

TEST(Quadrotor, a_cascaded_controller_follows_waypoints) {
  const auto env = make_env("quadrotor:goal=waypoints");
  double farthest = 0, worst = 1000, mean = 0;
  for (std::uint64_t episode = 0; episode < 100; ++episode) {
    const Flight flight = fly(*env, episode, 200, 190);
    ASSERT_EQ(flight.steps, 1000) << episode;
    farthest = std::max(farthest, flight.farthest);
    worst = std::min(worst, flight.total);
    mean += flight.total / 100;
  }
  fmt::print("waypoints: {:.4f} m off in the last 0.1 s of a leg at most, return {:.1f}, worst {:.1f}, of 1000\n",
             farthest, mean, worst);
  EXPECT_LE(farthest, 0.1);  // after two seconds, from up to 3.4 m away
  EXPECT_GE(worst, 600);
}

TEST(Quadrotor, starts_as_documented) {
  for (const char* spec : {"quadrotor", "quadrotor:goal=waypoints"}) {
    const auto env = make_env(spec);
    std::vector<double> low(env->task().state.dimensions(), 10), high(low.size(), -10);
    for (std::uint64_t episode = 0; episode < 2000; ++episode) {
      const SingleEpisode start(*env, 1, episode);
      const std::vector<double>& state = start.state();
      double square = 0;
      for (std::size_t d = 6; d < 10; ++d) square += state[d] * state[d];
      EXPECT_NEAR(square, 1, 1e-15);
      for (std::size_t d = 0; d < state.size(); ++d) {
        low[d] = std::min(low[d], state[d]);
        high[d] = std::max(high[d], state[d]);
      }
    }
    const auto expect_spread = [&](std::size_t from, std::size_t to, double width) {
      for (std::size_t d = from; d < to; ++d) {
        EXPECT_GE(low[d], -width);
        EXPECT_LE(high[d], width);
        EXPECT_LE(low[d], -0.97 * width);  // 2000 starts come close to both ends
        EXPECT_GE(high[d], 0.97 * width);
      }
    };
    expect_spread(0, 6, 0.5);
    expect_spread(7, 10, 0.1);
    expect_spread(10, 13, 0.5);
    for (std::size_t d = 13; d < 17; ++d) EXPECT_EQ(low[d], high[d]);
    EXPECT_DOUBLE_EQ(low[13], hover_thrust);
    if (low.size() > 17) expect_spread(17, 20, 1);
  }
}

const std::vector<double> turned{0.3, -0.2, 0.5, 1, -2, 0.5, 0.8, 0.2, -0.4, 0.4, 1, 2, 3, 0.05, 0.06, 0.07, 0.08};

TEST(Quadrotor, observes_errors_attitude_and_rates) {
  const auto matrix = make_env("quadrotor"), quaternion = make_env("quadrotor:attitude=quaternion");
  const std::vector<double> seen = SingleEpisode(*matrix, turned).observation();
  ASSERT_EQ(seen.size(), 18);
  for (std::size_t d = 0; d < 6; ++d) EXPECT_EQ(seen[d], turned[d]);
  // The rotation by (0.8, 0.2, -0.4, 0.4), by hand: rows of the matrix.
  const std::array expected{0.36, -0.8, -0.48, 0.48, 0.6, -0.64, 0.8, 0.0, 0.6};
  for (std::size_t d = 0; d < 9; ++d) EXPECT_NEAR(seen[6 + d], expected[d], 1e-15) << d;
  for (std::size_t d = 0; d < 3; ++d) EXPECT_EQ(seen[15 + d], turned[10 + d]);

  const std::vector<double> short_form = SingleEpisode(*quaternion, turned).observation();
  EXPECT_EQ(short_form, std::vector<double>(turned.begin(), turned.begin() + 13));

  const auto waypoints = make_env("quadrotor:goal=waypoints");
  std::vector<double> state = turned;
  state.insert(state.end(), {0.5, -1, 0.25, 7});
  const std::vector<double> from_target = SingleEpisode(*waypoints, state).observation();
  EXPECT_DOUBLE_EQ(from_target[0], -0.2);
  EXPECT_DOUBLE_EQ(from_target[1], 0.8);
  EXPECT_DOUBLE_EQ(from_target[2], 0.25);
}

TEST(Quadrotor, pays_what_the_documentation_says) {
  const auto env = make_env("quadrotor");
  SingleEpisode play(*env, turned);
  const std::vector<double> action{0.2, -0.3, 2, -1};
  double unrest = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const double command = full_thrust * (std::clamp(action[i], -1.0, 1.0) + 1) / 2;
    unrest += std::pow((command - turned[13 + i]) / full_thrust, 2) / 4;
  }
  const double reward = play.step(action);
  const std::vector<double>& s = play.state();
  const double off = std::hypot(s[0], s[1], s[2]), speed = std::hypot(s[3], s[4], s[5]);
  const double rate = std::hypot(s[10], s[11], s[12]);
  EXPECT_NEAR(reward,
              1 - 0.6 * off / (off + 0.25) - 0.1 * speed / (speed + 1) - 0.1 * rate / (rate + 4) -
                  0.1 * (1 - s[6] * s[6]) - 0.1 * unrest,
              1e-14);
  EXPECT_EQ(env->return_range(500).low, 0);
  EXPECT_EQ(env->return_range(500).high, 500);
}

TEST(Quadrotor, ends_out_of_the_room_too_fast_or_upside_down) {
  const auto env = make_env("quadrotor");
  const auto ends = [&](std::size_t row, double value) {
    std::vector<double> state{0,           0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, hover_thrust, hover_thrust, hover_thrust,
                              hover_thrust};
    state[row] = value;
    SingleEpisode play(*env, state);
    play.step({-0.14, -0.14, -0.14, -0.14});
    return play.terminated();
  };
  for (const double sign : {-1.0, 1.0}) {
    for (std::size_t d = 0; d < 3; ++d) {
      EXPECT_FALSE(ends(d, sign * 1.99));
      EXPECT_TRUE(ends(d, sign * 2.01));
      EXPECT_FALSE(ends(3 + d, sign * 4.9));
      EXPECT_TRUE(ends(3 + d, sign * 5.1));
      EXPECT_FALSE(ends(10 + d, sign * 34));
      EXPECT_TRUE(ends(10 + d, sign * 36));
    }
  }
  const auto tilted = [&](double degrees) {
    const double half = degrees * 3.14159265358979 / 360;
    SingleEpisode play(*env, {0, 0, 0, 0, 0, 0, std::cos(half), 0, std::sin(half), 0, 0, 0, 0, 0, 0, 0, 0});
    play.step({-1, -1, -1, -1});
    return play.terminated();
  };
  EXPECT_FALSE(tilted(89));
  EXPECT_TRUE(tilted(91));
  EXPECT_EQ(env->task().ending, Ending::failure);
}

// Every two seconds, and at the same places whatever the policy does.
TEST(Quadrotor, targets_move_on) {
  const auto env = make_env("quadrotor:goal=waypoints");
  const auto targets = [&](bool push) {
    SingleEpisode play(*env, 5, 2);
    std::vector<std::vector<double>> all;
    for (int t = 0; t < 1000; ++t) {
      const std::vector<double> target(play.state().begin() + 17, play.state().begin() + 20);
      if (all.empty() || target != all.back()) all.push_back(target);
      EXPECT_EQ(play.state()[20], t % 200);
      play.step(push ? std::vector<double>{1, 1, 1, 1} : hover_action(play.observation()));
    }
    return all;
  };
  const auto seen = targets(false);
  EXPECT_EQ(seen.size(), 5);
  for (const std::vector<double>& target : seen) {
    for (const double value : target) EXPECT_LE(std::abs(value), 1);
  }
  EXPECT_EQ(targets(true), seen);
}

TEST(Quadrotor, refuses_settings_with_the_legal_ones) {
  expect_error(ErrorCode::unknown_name, "no goal of task 'quadrotor' is called 'hovr'. Did you mean 'hover'?",
               [] { make_env("quadrotor:goal=hovr"); });
  expect_error(ErrorCode::unknown_name, "no attitude of task 'quadrotor' is called 'euler'",
               [] { make_env("quadrotor:attitude=euler"); });
  expect_error(ErrorCode::out_of_range, "task 'quadrotor': mass is 1; legal: 0.014 to 0.056",
               [] { make_env("quadrotor:mass=1"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'motor_lag'?", [] { make_env("quadrotor:motorlag=0.1"); });
}

TEST(Quadrotor, figure_shows_craft_and_target) {
  const auto env = make_env("quadrotor:goal=waypoints");
  std::vector<double> state = turned;
  state.insert(state.end(), {0.5, -1, 0.25, 7});
  const Figure figure = env->figure(state);
  EXPECT_EQ(figure.views, (std::vector{Viewpoint::side, Viewpoint::above}));
  const auto middle = [](const Stick& stick, std::size_t d) { return (stick.from[d] + stick.to[d]) / 2; };
  std::size_t arms = 0, crosses = 0;
  for (const Stick& stick : figure.sticks) {
    double square = 0;
    for (std::size_t d = 0; d < 3; ++d) square += std::pow(stick.to[d] - stick.from[d], 2);
    if (stick.fixed) {
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(middle(stick, d), state[17 + d], 1e-15);
      ++crosses;
    } else if (std::sqrt(square) > 0.2) {
      EXPECT_NEAR(std::sqrt(square), 3 * 2 * 0.046, 1e-12);  // drawn three times as large
      for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(middle(stick, d), state[d], 1e-15);
      ++arms;
    }
  }
  EXPECT_EQ(arms, 2);
  EXPECT_EQ(crosses, 3);
  EXPECT_EQ(figure.sticks.size(), 13);
}

}  // namespace
}  // namespace mercer

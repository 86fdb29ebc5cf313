#include <algorithm>
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
  double farthest = 0;  // from the target in the last second of each leg
  std::uint32_t steps = 0;
};

Flight fly(const Env& env, std::uint64_t episode, std::uint32_t leg) {
  SingleEpisode play(env, 3, episode);
  Flight out;
  while (!play.terminated() && play.steps() < env.task().time_limit) {
    out.total += play.step(hover_action(play.observation()));
    if (play.steps() % leg > leg - 100) out.farthest = std::max(out.farthest, distance(play.observation()));
  }
  out.steps = play.steps();
  return out;
}

TEST(Quadrotor, a_cascaded_controller_hovers) {
  const auto env = make_env("quadrotor");
  double farthest = 0, worst = 500, mean = 0;
  for (std::uint64_t episode = 0; episode < 100; ++episode) {
    const Flight flight = fly(*env, episode, 500);
    ASSERT_EQ(flight.steps, 500);
    farthest = std::max(farthest, flight.farthest);
    worst = std::min(worst, flight.total);
    mean += flight.total / 100;
  }
  fmt::print("hover: {:.4f} m off in the last second at most, return {:.1f}, worst {:.1f}, of 500\n", farthest, mean,
             worst);
  EXPECT_LE(farthest, 0.01);
  EXPECT_GE(worst, 380);
}

TEST(Quadrotor, a_cascaded_controller_follows_waypoints) {
  const auto env = make_env("quadrotor:goal=waypoints");
  double farthest = 0, worst = 1000, mean = 0;
  for (std::uint64_t episode = 0; episode < 100; ++episode) {
    const Flight flight = fly(*env, episode, 200);
    ASSERT_EQ(flight.steps, 1000) << episode;
    farthest = std::max(farthest, flight.farthest);
    worst = std::min(worst, flight.total);
    mean += flight.total / 100;
  }
  fmt::print("waypoints: {:.4f} m off in the last second of a leg at most, return {:.1f}, worst {:.1f}, of 1000\n",
             farthest, mean, worst);
  EXPECT_GE(worst, 500);
}

}  // namespace
}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "env/box2d_episode.hpp"
#include "env/box2d_twin.hpp"
#include "mercer/perturb.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace mercer::lander_cases {
namespace {

// Rows of the state.
enum : std::size_t { x, y, angle, vx, vy, omega, right_leg, left_leg, right_rate, left_rate, terrain };

// Upright with its legs spread, as they are in flight, on flat ground.
std::vector<double> standing(double height) {
  std::vector<double> state(11);
  state[y] = height;
  state[right_leg] = 0.4;
  state[left_leg] = -0.4;
  return state;
}

struct Throttles {
  double main, side;
};

// Points the hull against its drift, and falls slower the lower it is.
Throttles steer(const std::vector<double>& seen) {
  const bool stands = seen[6] + seen[7] > 0;
  const double wanted = std::clamp(0.5 * seen[0] + seen[2], -0.4, 0.4);
  const double turn = stands ? 0 : 0.5 * (wanted - seen[4]) - seen[5];
  const double lift = stands ? -0.5 * seen[3] : 0.5 * (0.55 * std::abs(seen[0]) - seen[1]) - 0.5 * seen[3];
  if (lift > std::abs(turn) && lift > 0.05) return {1, 0};
  return {0, std::abs(turn) <= 0.05 ? 0.0 : turn < 0 ? 1.0 : -1.0};
}
double engine(const Throttles& of) { return of.main > 0 ? 2 : of.side < 0 ? 1 : of.side > 0 ? 3 : 0; }

twin::Lander make_twin(std::uint64_t item) {
  Random random({Episode::seed, Stage::start, item, 0});
  const double number = 1 + std::floor(random.uniform() * 4294967295.0);
  const double fx = 1000 * (2 * random.uniform() - 1), fy = 1000 * (2 * random.uniform() - 1);
  return twin::Lander(number, fx, fy);
}
Random jitter(std::uint64_t item, std::uint32_t step) { return Random({Episode::seed, Stage::transition, item, step}); }

// Until the first contact the two worlds differ by the rounding of floats in other coordinates; a landing enlarges it.
TEST(LunarLander, moves_as_a_world_that_goes_on) {
  const auto env = make_env("lunar-lander");
  std::size_t landings = 0;
  for (std::uint64_t item = 0; item < 20; ++item) {
    Episode episode(*env, item);
    twin::Lander world = make_twin(item);
    for (std::uint32_t t = 0; t < 150; ++t) {
      const Throttles of = steer(episode.seen);
      episode.step({engine(of)});
      const twin::Step expected = world.step(of.main, of.side, jitter(item, t));
      const bool touched = episode.seen[6] + episode.seen[7] > 0;
      landings += touched;
      const double tolerance = touched ? 0.02 : 2e-4;
      for (std::size_t d = 0; d < 6; ++d) ASSERT_NEAR(episode.seen[d], expected.observation[d], tolerance) << d;
      ASSERT_EQ(episode.end == StepEnd::task, expected.ended);
      if (expected.ended || touched) break;
      for (std::size_t d = 6; d < 8; ++d) ASSERT_EQ(episode.seen[d], expected.observation[d]) << t;
      ASSERT_NEAR(episode.reward, expected.reward, 0.1);
    }
  }
  EXPECT_GE(landings, 10);
}

TEST(LunarLander, pays_a_controller_what_a_world_that_goes_on_pays) {
  const auto env = make_env("lunar-lander");
  std::vector<double> own, other;
  std::size_t landed = 0, landed_there = 0;
  for (std::uint64_t item = 0; item < 300; ++item) {
    Episode episode(*env, item);
    twin::Lander world = make_twin(item);
    std::vector<double> seen = episode.seen;
    double total = 0, total_there = 0;
    for (std::uint32_t t = 0; t < 1000 && episode.end == StepEnd::none; ++t) {
      episode.step({engine(steer(episode.seen))});
      total += episode.reward;
    }
    landed += episode.end == StepEnd::task && episode.reward == 100;
    twin::Step last;
    for (std::uint32_t t = 0; t < 1000 && !last.ended; ++t) {
      const Throttles of = steer(seen);
      last = world.step(of.main, of.side, jitter(item, t));
      seen = last.observation;
      total_there += last.reward;
    }
    landed_there += last.ended && last.reward == 100;
    own.push_back(total);
    other.push_back(total_there);
  }
  const SampleMean here(own), there(other);
  EXPECT_NEAR(here.mean, there.mean, 3 * std::hypot(here.error, there.error));
  EXPECT_GT(there.mean, 200);
  EXPECT_NEAR(static_cast<double>(landed), static_cast<double>(landed_there), 15);
}

TEST(LunarLander, starts_above_the_middle_with_a_push) {
  const auto env = make_env("lunar-lander");
  std::vector<double> speeds;
  for (std::uint64_t item = 0; item < 200; ++item) {
    const Episode episode(*env, item);
    const std::vector<double> state = episode.state();
    EXPECT_NEAR(state[y], 10, 0.2);
    EXPECT_NEAR(state[x], 0, 0.2);
    EXPECT_GE(state[terrain], 1);
    EXPECT_EQ(state[terrain], std::floor(state[terrain]));
    speeds.push_back(state[vx]);
  }
  // 1000 N for a step on 4.8 kg; the legs take a little of it.
  const auto [least, most] = std::ranges::minmax(speeds);
  EXPECT_NEAR(most, 4.15, 0.3);
  EXPECT_NEAR(least, -4.15, 0.3);
}

TEST(LunarLander, observes_in_the_units_of_gymnasium) {
  const auto env = make_env("lunar-lander");
  Episode episode(*env);
  std::vector<double> state = standing(5);
  state[x] = 2;
  state[angle] = 0.1;
  state[vx] = 3;
  state[vy] = -1.5;
  state[omega] = 0.5;
  episode.set_state(state);
  const std::vector<double> expected{0.2, 4.4 / (20 / 3.0), 0.6, -0.2, 0.1, 0.2, 0, 0};
  for (std::size_t d = 0; d < 8; ++d) EXPECT_NEAR(episode.seen[d], expected[d], 1e-12) << d;
  EXPECT_EQ(episode.state(), state);
}

TEST(LunarLander, rewards_the_growth_of_the_shaping_less_fuel) {
  const auto env = make_env("lunar-lander-continuous");
  const auto shaping = [](const std::vector<double>& s) {
    return -100 * (std::hypot(s[0], s[1]) + std::hypot(s[2], s[3]) + std::abs(s[4])) + 10 * (s[6] + s[7]);
  };
  for (const auto& [main, side, fuel] : {std::tuple{0.0, 0.5, 0.0},
                                         {-1.0, 0.3, 0.0},
                                         {0.2, 0.0, 0.3 * 0.6},
                                         {1.0, -0.7, 0.3 + 0.03 * 0.7},
                                         {3.0, 9.0, 0.3 + 0.03}}) {
    Episode episode(*env, 3);
    const double before = shaping(episode.seen);
    episode.step({main, side});
    EXPECT_NEAR(episode.reward, shaping(episode.seen) - before - fuel, 1e-9) << main << " " << side;
  }
}

TEST(LunarLander, engines_push_up_and_turn) {
  const auto env = make_env("lunar-lander");
  const auto after = [&](double action) {
    Episode episode(*env);
    episode.set_state(standing(6));
    for (int t = 0; t < 5; ++t) episode.step({action});
    return episode.state();
  };
  const std::vector<double> still = after(0), left = after(1), main = after(2), right = after(3);
  EXPECT_NEAR(still[vy], -5 * 0.02 * 10, 0.02);
  EXPECT_NEAR(still[omega], 0, 1e-3);
  EXPECT_GT(main[vy], still[vy] + 1);
  EXPECT_GT(left[omega], 0.05);
  EXPECT_LT(right[omega], -0.05);
}

TEST(LunarLander, landing_earns_100_once_at_rest_for_half_a_second) {
  const auto env = make_env("lunar-lander");
  Episode episode(*env);
  episode.set_state(standing(0.6));  // feet 7 cm above the pad
  std::uint32_t steps = 0;
  for (; steps < 300 && episode.end == StepEnd::none; ++steps) episode.step({0});
  EXPECT_EQ(episode.end, StepEnd::task);
  EXPECT_EQ(episode.reward, 100);
  EXPECT_GE(steps, 25);
  EXPECT_EQ(episode.seen[6], 1);
  EXPECT_EQ(episode.seen[7], 1);
}

TEST(LunarLander, a_crash_costs_100) {
  const auto env = make_env("lunar-lander");
  Episode episode(*env);
  std::vector<double> state = standing(1.2);
  state[angle] = 3;  // on its head
  episode.set_state(state);
  for (int t = 0; t < 100 && episode.end == StepEnd::none; ++t) episode.step({0});
  EXPECT_EQ(episode.end, StepEnd::task);
  EXPECT_EQ(episode.reward, -100);
}

TEST(LunarLander, leaving_the_view_costs_100) {
  const auto env = make_env("lunar-lander");
  for (const double side : {-1.0, 1.0}) {
    Episode episode(*env);
    std::vector<double> state = standing(6);
    state[x] = side * 9.95;
    state[vx] = side * 5;
    episode.set_state(state);
    episode.step({0});
    EXPECT_EQ(episode.end, StepEnd::task);
    EXPECT_EQ(episode.reward, -100);
    EXPECT_GE(std::abs(episode.seen[0]), 1);
  }
}

TEST(LunarLander, settle_finds_contacts) {
  const auto env = make_env("lunar-lander");
  Episode landed(*env), copy(*env);
  landed.set_state(standing(0.6));
  for (int t = 0; t < 20; ++t) landed.step({0});
  ASSERT_EQ(landed.end, StepEnd::none);
  ASSERT_EQ(landed.seen[6] + landed.seen[7], 2);
  copy.set_state(landed.state());
  EXPECT_EQ(copy.seen, landed.seen);
  copy.set_state(standing(5));
  EXPECT_EQ(copy.seen[6] + copy.seen[7], 0);
}

TEST(LunarLander, tells_its_legs_apart) {
  const auto env = make_env("lunar-lander");
  for (const double tilt : {0.2, -0.2}) {
    Episode episode(*env);
    std::vector<double> state = standing(0.75);
    state[angle] = tilt;  // a positive angle lowers the left leg
    episode.set_state(state);
    for (int t = 0; t < 50 && episode.seen[6] + episode.seen[7] == 0; ++t) episode.step({0});
    EXPECT_EQ(episode.seen[tilt > 0 ? 7 : 6], 1);
    EXPECT_EQ(episode.seen[tilt > 0 ? 6 : 7], 0);
  }
  EXPECT_EQ(env->task().observation.axes[6].name, "right_leg_touches");
}

TEST(LunarLander, an_action_that_is_no_number_is_broken) {
  const auto env = make_env("lunar-lander-continuous");
  Episode episode(*env);
  const std::vector<double> before = episode.column;
  episode.step({0.5, std::nan("")});
  EXPECT_EQ(episode.end, StepEnd::broken);
  EXPECT_EQ(episode.column, before);
}

TEST(LunarLander, physics_can_be_changed) {
  const auto fall = [](const std::string& settings, double action) {
    const auto env = make_env("lunar-lander" + settings);
    Episode episode(*env);
    std::vector<double> state = standing(6);
    state.resize(env->task().state.dimensions(), 3.0);
    episode.set_state(state);
    for (int t = 0; t < 10; ++t) episode.step({action});
    return episode.state()[vy];
  };
  EXPECT_NEAR(fall(":gravity=5", 0) / fall("", 0), 0.5, 1e-3);
  EXPECT_NEAR(fall(":mass=2", 0) / fall("", 0), 1, 1e-3);
  const double thrust = fall("", 2) - fall("", 0);
  EXPECT_NEAR((fall(":main_engine=0.5", 2) - fall("", 0)) / thrust, 0.5, 0.02);
  EXPECT_NEAR((fall(":mass=2", 2) - fall("", 0)) / thrust, 0.5, 0.02);
  EXPECT_NEAR(fall(":main_engine=0", 2), fall("", 0), 1e-6);
  EXPECT_NEAR(fall(":gravity=1..9", 0) / fall(":gravity=3", 0), 1, 1e-6);  // the drawn row was set to 3
  EXPECT_EQ(make_env("lunar-lander:gravity=1..9,friction=0..1")->task().state.dimensions(), 13);
  EXPECT_EQ(make_env("lunar-lander:gravity=1..9")->task().observation.dimensions(), 8);
}

TEST(LunarLander, draws_parameters_for_every_episode) {
  const auto env = make_env("lunar-lander:gravity=4..6");
  for (std::uint64_t item = 0; item < 20; ++item) {
    const double drawn = Episode(*env, item).state().back();
    EXPECT_GE(drawn, 4);
    EXPECT_LE(drawn, 6);
  }
  EXPECT_NE(Episode(*env, 0).state().back(), Episode(*env, 1).state().back());
}

TEST(LunarLander, refuses_what_is_illegal) {
  expect_error(ErrorCode::out_of_range, "gravity", [] { make_env("lunar-lander:gravity=-1"); });
  expect_error(ErrorCode::unknown_name, "main_engine", [] { make_env("lunar-lander:main_engin=2"); });
  expect_error(ErrorCode::out_of_range, "mass", [] { make_env("LunarLander-v2:mass=0"); });
}

TEST(LunarLander, a_state_that_is_no_number_is_broken_and_stays) {
  const auto env = make_env("lunar-lander");
  for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e30}) {
    for (std::size_t row = 0; row < terrain; ++row) {
      Episode episode(*env);
      std::vector<double> state = standing(5);
      state[row] = wrong;
      episode.set_state(state);
      episode.step({0});
      EXPECT_EQ(episode.end, StepEnd::broken) << row;
      EXPECT_EQ(episode.reward, 0);
      const std::vector<double> now = episode.state();
      EXPECT_EQ(std::memcmp(now.data(), state.data(), state.size() * sizeof(double)), 0);
    }
  }
}

TEST(LunarLander, draws_itself) {
  const auto env = make_env("lunar-lander");
  const Figure figure = env->figure(standing(5));
  EXPECT_EQ(figure.views, std::vector<Viewpoint>{Viewpoint::side});
  EXPECT_EQ(std::ranges::count(figure.sticks, true, &Stick::fixed), 11);
  EXPECT_EQ(figure.sticks.size(), 11u + 6 + 4 + 4);
  double lowest = HUGE_VAL;
  for (const Stick& stick : figure.sticks) {
    if (!stick.fixed) lowest = std::min(lowest, stick.from[2]);
  }
  EXPECT_NEAR(lowest, 5 - 0.5646, 1e-4);  // the feet
}

}  // namespace
}  // namespace mercer::lander_cases

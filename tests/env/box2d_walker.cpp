#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "env/box2d_episode.hpp"
#include "env/box2d_twin.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace mercer::walker_cases {
namespace {

// Rows of the state.
enum : std::size_t { x, y, angle, vx, vy, omega, hip_1, knee_1, hip_2, knee_2, rates, terrain = 14 };

twin::Walker make_twin(std::uint64_t item) {
  Random random({Episode::seed, Stage::start, item, 0});
  const double number = 1 + std::floor(random.uniform() * 4294967295.0);
  return twin::Walker(number, 5 * (2 * random.uniform() - 1));
}

// A controller that gets some way before it falls: hips swing in turn, a knee gives while its hip swings forward.
std::array<double, 4> swing(const std::vector<double>& seen, std::uint32_t step) {
  const double phase = 0.22 * step;
  std::array<double, 4> action{};
  for (std::size_t leg = 0; leg < 2; ++leg) {
    const double s = std::sin(phase + 3.1416 * static_cast<double>(leg));
    const double hip = 0.1 + 0.5 * s - 0.4 * seen[0], knee = s > 0 ? 0.1 : 0.8;
    action[2 * leg] = 2.0 * (hip - seen[4 + 5 * leg]) - 0.3 * seen[5 + 5 * leg];
    action[2 * leg + 1] = 2.0 * (knee - seen[6 + 5 * leg]) - 0.3 * seen[7 + 5 * leg];
  }
  return action;
}
std::vector<double> as_vector(const std::array<double, 4>& of) { return {of.begin(), of.end()}; }

// Walking is chaotic: after some thirty steps with contacts two worlds part by more than a rounding.
TEST(BipedalWalker, moves_as_a_world_that_goes_on) {
  const auto env = make_env("bipedal-walker");
  for (std::uint64_t item = 0; item < 20; ++item) {
    Episode episode(*env, item);
    twin::Walker world = make_twin(item);
    for (std::uint32_t t = 0; t < 20; ++t) {
      const auto action = swing(episode.seen, t);
      episode.step(as_vector(action));
      const twin::Step expected = world.step(action);
      const double tolerance = 5e-3;
      for (std::size_t d = 0; d < 24; ++d) {
        if (d == 8 || d == 13) continue;  // which contact of several changed last, a rebuilt world cannot know
        ASSERT_NEAR(episode.seen[d], expected.observation[d], tolerance) << "item " << item << " t " << t << " d " << d;
      }
      ASSERT_NEAR(episode.reward, expected.reward, 2 * tolerance);
      ASSERT_EQ(episode.end == StepEnd::task, expected.ended);
    }
  }
}

TEST(BipedalWalker, pays_a_controller_what_a_world_that_goes_on_pays) {
  const auto env = make_env("bipedal-walker");
  std::vector<double> own, other, touch, touch_there;
  for (std::uint64_t item = 0; item < 200; ++item) {
    Episode episode(*env, item);
    twin::Walker world = make_twin(item);
    double total = 0, total_there = 0, on = 0, on_there = 0;
    std::uint32_t t = 0;
    for (; t < 400 && episode.end == StepEnd::none; ++t) {
      episode.step(as_vector(swing(episode.seen, t)));
      total += episode.reward;
      on += episode.seen[8] + episode.seen[13];
    }
    touch.push_back(on / t);
    twin::Step last = {Episode(*env, item).seen, 0, false};
    for (t = 0; t < 400 && !last.ended; ++t) {
      last = world.step(swing(last.observation, t));
      total_there += last.reward;
      on_there += last.observation[8] + last.observation[13];
    }
    touch_there.push_back(on_there / t);
    own.push_back(total);
    other.push_back(total_there);
  }
  const SampleMean here(own), there(other), on(touch), on_there(touch_there);
  EXPECT_NEAR(here.mean, there.mean, 3 * std::hypot(here.error, there.error));
  EXPECT_NEAR(on.mean, on_there.mean, 0.1);
}

std::vector<double> standing() {
  std::vector<double> state(15);
  state[x] = 20;
  state[y] = 2.8;
  state[hip_1] = state[hip_2] = 0.1;
  state[knee_1] = state[knee_2] = -0.2;
  return state;
}

TEST(BipedalWalker, observes_in_the_units_of_gymnasium) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env);
  std::vector<double> state = standing();
  state[angle] = 0.1;
  state[vx] = 2;
  state[vy] = -1;
  state[omega] = 0.5;
  for (std::size_t k = 0; k < 4; ++k) state[rates + k] = 1.0 + static_cast<double>(k);
  episode.set_state(state);
  const std::vector<double> expected{0.1,     0.02, 0.24, -0.08, 0.1, 0.25,    0.8,
                                     2 / 6.0, 0.0,  0.1,  0.75,  0.8, 4 / 6.0, 0.0};
  for (std::size_t d = 0; d < 14; ++d) EXPECT_NEAR(episode.seen[d], expected[d], 1e-12) << d;
  // Flat ground: a ray at an angle a meets it after height / cos a.
  for (std::size_t k = 0; k < 10; ++k) {
    const double share = 2.8 / std::cos(0.15 * static_cast<double>(k)) / (160 / 30.0);
    EXPECT_NEAR(episode.seen[14 + k], std::min(share, 1.0), 1e-6) << k;
  }
  EXPECT_EQ(episode.state(), state);
}

TEST(BipedalWalker, rewards_the_way_less_torque) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env);
  const std::vector<double> before = episode.state();
  episode.step({0.5, -0.25, 3, 0});
  const std::vector<double> after = episode.state();
  const double way = 130 / 30.0 * (after[x] - before[x]) - 5 * (std::abs(after[angle]) - std::abs(before[angle]));
  EXPECT_NEAR(episode.reward, way - 0.028 * 1.75, 1e-9);
}

TEST(BipedalWalker, a_fall_costs_100) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env);
  for (int t = 0; t < 400 && episode.end == StepEnd::none; ++t) episode.step({1, 1, 1, 1});
  EXPECT_EQ(episode.end, StepEnd::task);
  EXPECT_EQ(episode.reward, -100);
}

TEST(BipedalWalker, ends_at_either_end_of_the_ground) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env);
  std::vector<double> state = standing();
  state[y] = 4;
  state[x] = 190 * 14 / 30.0 - 0.01;
  state[vx] = 3;
  episode.set_state(state);
  episode.step({0, 0, 0, 0});
  EXPECT_EQ(episode.end, StepEnd::task);
  EXPECT_GT(episode.reward, 0);
  state[x] = 0.01;
  state[vx] = -3;
  episode.set_state(state);
  episode.step({0, 0, 0, 0});
  EXPECT_EQ(episode.end, StepEnd::task);
  EXPECT_EQ(episode.reward, -100);
}

TEST(BipedalWalker, settle_finds_contacts_and_scans) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env), copy(*env);
  for (int t = 0; t < 40; ++t) episode.step({0, 0, 0, 0});
  ASSERT_EQ(episode.end, StepEnd::none);
  ASSERT_GT(episode.seen[8] + episode.seen[13], 0);
  copy.set_state(episode.state());
  EXPECT_EQ(copy.seen, episode.seen);
}

TEST(BipedalWalker, physics_can_be_changed) {
  const auto after = [](const std::string& settings, const std::vector<double>& action) {
    const auto env = make_env("bipedal-walker" + settings);
    Episode episode(*env);
    std::vector<double> state = standing();
    state[y] = 8;
    episode.set_state(state);
    for (int t = 0; t < 5; ++t) episode.step(action);
    return episode.state();
  };
  const std::vector<double> none{0, 0, 0, 0}, full{1, 0, 0, 0};
  EXPECT_NEAR(after(":gravity=5", none)[vy] / after("", none)[vy], 0.5, 1e-3);
  EXPECT_NEAR(after("", full)[rates], 4, 0.1);
  EXPECT_NEAR(after(":speed=0.5", full)[rates], 2, 0.1);
  EXPECT_LT(after(":torque=0.02", full)[rates], 2);
  EXPECT_LT(after(":torque=0.02,mass=5", full)[rates], after(":torque=0.02", full)[rates] / 2);
  expect_error(ErrorCode::out_of_range, "torque", [] { make_env("BipedalWalker-v3:torque=-1"); });
  EXPECT_EQ(make_env("bipedal-walker:friction=0.5..1")->task().state.dimensions(), 16);
}

TEST(BipedalWalker, what_is_no_number_is_broken) {
  const auto env = make_env("bipedal-walker");
  Episode episode(*env);
  const std::vector<double> before = episode.state();
  episode.step({0, std::nan(""), 0, 0});
  EXPECT_EQ(episode.end, StepEnd::broken);
  EXPECT_EQ(episode.state(), before);
  std::vector<double> state = standing();
  state[knee_2] = HUGE_VAL;
  episode.set_state(state);
  episode.step({0, 0, 0, 0});
  EXPECT_EQ(episode.end, StepEnd::broken);
}

TEST(BipedalWalker, terrain_is_flat_at_first_then_rough) {
  const auto env = make_env("bipedal-walker");
  std::vector<double> state = standing();
  state[terrain] = 17;
  const auto spread = [&](double at) {
    state[x] = at;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Stick& stick : env->figure(state).sticks) {
      if (!stick.fixed || stick.to[0] > at) continue;
      low = std::min({low, stick.from[2], stick.to[2]});
      high = std::max({high, stick.from[2], stick.to[2]});
    }
    return high - low;
  };
  EXPECT_EQ(spread(9), 0);
  EXPECT_GT(spread(40), 0.05);
  state[terrain] = 0;
  EXPECT_EQ(spread(40), 0);
}

}  // namespace
}  // namespace mercer::walker_cases

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "support/single_episode.hpp"

namespace mercer {
namespace {

using Real = long double;
using Vector = std::array<Real, 3>;
using Matrix = std::array<Vector, 3>;

constexpr double hover_thrust = 0.028 * 9.81 / 4;
constexpr double full_thrust = 0.16;

Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Matrix rotation(Real w, Real x, Real y, Real z) {
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

// The quadrotor from first principles: forces at the places of the rotors, the attitude as a matrix with R' = R [w],
// thrusts as one more differential equation, all of it by Runge-Kutta in steps of 25 microseconds.
struct Twin {
  Vector position, velocity;
  Matrix attitude;
  Vector rates;
  std::array<Real, 4> thrust;

  explicit Twin(const std::vector<double>& s)
      : position{s[0], s[1], s[2]},
        velocity{s[3], s[4], s[5]},
        attitude(rotation(s[6], s[7], s[8], s[9])),
        rates{s[10], s[11], s[12]},
        thrust{s[13], s[14], s[15], s[16]} {}
  Twin() = default;

  std::vector<Real*> numbers() {
    std::vector<Real*> all;
    for (Real& value : position) all.push_back(&value);
    for (Real& value : velocity) all.push_back(&value);
    for (Vector& row : attitude) {
      for (Real& value : row) all.push_back(&value);
    }
    for (Real& value : rates) all.push_back(&value);
    for (Real& value : thrust) all.push_back(&value);
    return all;
  }
  Twin moved(Twin along, Real time) const {
    Twin out = *this;
    const auto to = out.numbers(), by = along.numbers();
    for (std::size_t i = 0; i < to.size(); ++i) *to[i] += time * *by[i];
    return out;
  }
};

struct Physics {
  Real mass = 0.028, inertia = 1, arm = 0.046, thrust = 1, lag = 0.0375, drag = 0.007, gravity = 9.81;
};

Twin derivative(const Twin& now, const Physics& physics, const std::array<Real, 4>& command) {
  const Real place = physics.arm / std::sqrt(Real{2});
  // Front right, back right, back left, front left; the first and third turn counterclockwise.
  const std::array<Vector, 4> rotor{{{place, -place, 0}, {-place, -place, 0}, {-place, place, 0}, {place, place, 0}}};
  const std::array<Real, 4> reaction{-0.00596L, 0.00596L, -0.00596L, 0.00596L};
  const Vector moments{16.6e-6L * physics.inertia, 16.6e-6L * physics.inertia, 29.3e-6L * physics.inertia};
  Twin out;
  Vector torque{};
  Real lift = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Vector turn = cross(rotor[i], {0, 0, now.thrust[i]});
    for (std::size_t d = 0; d < 3; ++d) torque[d] += turn[d];
    torque[2] += reaction[i] * now.thrust[i];
    lift += now.thrust[i];
    out.thrust[i] = (command[i] - now.thrust[i]) / physics.lag;
  }
  const Vector& w = now.rates;
  const Vector spin = cross(w, {moments[0] * w[0], moments[1] * w[1], moments[2] * w[2]});
  for (std::size_t d = 0; d < 3; ++d) {
    out.position[d] = now.velocity[d];
    out.velocity[d] = (lift * now.attitude[d][2] - physics.drag * now.velocity[d]) / physics.mass;
    out.rates[d] = (torque[d] - spin[d]) / moments[d];
    out.attitude[d] = cross(now.attitude[d], w);  // a row of R [w]
  }
  out.velocity[2] -= physics.gravity;
  return out;
}

Twin twin_step(Twin now, const Physics& physics, const std::vector<double>& action) {
  std::array<Real, 4> command{};
  for (std::size_t i = 0; i < 4; ++i) {
    command[i] = 0.16L * physics.thrust * (std::clamp<Real>(action[i], -1, 1) + 1) / 2;
  }
  constexpr int parts = 400;
  const Real h = 0.01L / parts;
  for (int i = 0; i < parts; ++i) {
    const Twin a = derivative(now, physics, command);
    const Twin b = derivative(now.moved(a, h / 2), physics, command);
    const Twin c = derivative(now.moved(b, h / 2), physics, command);
    const Twin d = derivative(now.moved(c, h), physics, command);
    now = now.moved(a, h / 6).moved(b, h / 3).moved(c, h / 3).moved(d, h / 6);
  }
  return now;
}

std::vector<double> random_state(Random& random) {
  std::vector<double> state;
  const auto add = [&](int count, double width) {
    for (int i = 0; i < count; ++i) state.push_back(width * (2 * random.uniform() - 1));
  };
  add(3, 1.5);
  add(3, 3);
  add(4, 1);
  add(3, 10);
  double square = 0;
  for (std::size_t d = 6; d < 10; ++d) square += state[d] * state[d];
  for (std::size_t d = 6; d < 10; ++d) state[d] /= std::sqrt(square);
  for (int i = 0; i < 4; ++i) state.push_back(full_thrust * random.uniform());
  return state;
}

// Deviations of a step from the twin, each in the unit of its rows.
struct Deviation {
  double position = 0, velocity = 0, attitude = 0, rates = 0, thrust = 0;
  void add(const std::vector<double>& state, const Twin& twin) {
    const auto raise = [](double& worst, Real off) { worst = std::max(worst, static_cast<double>(std::abs(off))); };
    const Matrix turned = rotation(state[6], state[7], state[8], state[9]);
    for (std::size_t d = 0; d < 3; ++d) {
      raise(position, state[d] - twin.position[d]);
      raise(velocity, state[3 + d] - twin.velocity[d]);
      raise(rates, state[10 + d] - twin.rates[d]);
      for (std::size_t k = 0; k < 3; ++k) raise(attitude, turned[d][k] - twin.attitude[d][k]);
    }
    for (std::size_t i = 0; i < 4; ++i) raise(thrust, state[13 + i] - twin.thrust[i]);
  }
  void expect_small(const char* what) const {
    fmt::print("{}: position {:.1e} m, velocity {:.1e} m/s, attitude {:.1e}, rates {:.1e} rad/s, thrust {:.1e} N\n",
               what, position, velocity, attitude, rates, thrust);
    // What Runge-Kutta steps of 5 ms leave at rates of 10 rad/s under random thrusts; thrusts are solved exactly.
    EXPECT_LE(position, 1e-7) << what;
    EXPECT_LE(velocity, 2e-6) << what;
    EXPECT_LE(attitude, 2e-6) << what;
    EXPECT_LE(rates, 1e-5) << what;
    EXPECT_LE(thrust, 1e-15) << what;
  }
};

TEST(QuadrotorMotion, each_step_is_that_of_a_brute_force_twin) {
  const auto nominal = make_env("quadrotor");
  const auto drawn = make_env(
      "quadrotor:mass=0.02..0.04,inertia=0.5..2,arm=0.03..0.08,thrust=0.5..1.5,motor_lag=0.02..0.2,drag=0..0.05,"
      "gravity=5..20");
  Deviation fixed, varied;
  for (std::uint64_t i = 0; i < 150; ++i) {
    Random random({4, Stage::task, i, 0});
    std::vector<double> state = random_state(random), action;
    for (int d = 0; d < 4; ++d) action.push_back(2.6 * random.uniform() - 1.3);  // some past the limit of 1
    SingleEpisode play(*nominal, state);
    play.step(action);
    fixed.add(play.state(), twin_step(Twin(state), {}, action));

    SingleEpisode start(*drawn, 1, i);
    const std::vector<double> physics(start.state().begin() + 17, start.state().end());
    ASSERT_EQ(physics.size(), 7);
    state.insert(state.end(), physics.begin(), physics.end());
    SingleEpisode other(*drawn, state);
    other.step(action);
    varied.add(other.state(),
               twin_step(Twin(state),
                         {physics[0], physics[1], physics[2], physics[3], physics[4], physics[5], physics[6]}, action));
  }
  fixed.expect_small("nominal");
  varied.expect_small("drawn parameters");
}

TEST(QuadrotorMotion, falls_freely) {
  const auto env = make_env("quadrotor:drag=0");
  SingleEpisode play(*env, {0.1, 0.2, 1.5, 1, -0.5, 0.5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (int t = 1; t <= 30; ++t) {
    play.step({-1, -1, -1, -1});
    const double time = 0.01 * t;
    EXPECT_NEAR(play.state()[0], 0.1 + time, 1e-14);
    EXPECT_NEAR(play.state()[1], 0.2 - 0.5 * time, 1e-14);
    EXPECT_NEAR(play.state()[2], 1.5 + 0.5 * time - 9.81 / 2 * time * time, 1e-14);
    EXPECT_NEAR(play.state()[5], 0.5 - 9.81 * time, 1e-14);
  }
}

TEST(QuadrotorMotion, drag_slows_exponentially) {
  const auto env = make_env("quadrotor:gravity=0,drag=0.05");
  SingleEpisode play(*env, {0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});
  for (int t = 0; t < 50; ++t) play.step({-1, -1, -1, -1});
  EXPECT_NEAR(play.state()[3], 2 * std::exp(-0.05 / 0.028 * 0.5), 1e-10);
}

TEST(QuadrotorMotion, hovers_where_thrust_and_weight_are_equal) {
  const auto env = make_env("quadrotor");
  const double command = 2 * hover_thrust / full_thrust - 1;
  SingleEpisode play(*env,
                     {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, hover_thrust, hover_thrust, hover_thrust, hover_thrust});
  for (int t = 0; t < 500; ++t) EXPECT_NEAR(play.step({command, command, command, command}), 1, 1e-12);
  for (std::size_t d = 0; d < 6; ++d) EXPECT_NEAR(play.state()[d], 0, 1e-12);
  EXPECT_EQ(play.state()[6], 1);
}

TEST(QuadrotorMotion, each_rotor_turns_the_body_its_own_way) {
  const auto env = make_env("quadrotor");
  // Signs of roll, pitch and yaw: a rotor on the left rolls to the right, one in front lifts the nose, and one that
  // turns counterclockwise pushes the body clockwise.
  const std::array<std::array<int, 3>, 4> signs{{{-1, -1, -1}, {-1, 1, 1}, {1, 1, -1}, {1, -1, 1}}};
  for (std::size_t rotor = 0; rotor < 4; ++rotor) {
    SingleEpisode play(*env, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05});
    std::vector<double> action(4, 2 * 0.05 / full_thrust - 1);
    action[rotor] = 1;
    play.step(action);
    for (std::size_t d = 0; d < 3; ++d) EXPECT_GT(signs[rotor][d] * play.state()[10 + d], 1e-3) << rotor << " " << d;
  }
  // All together only lift.
  SingleEpisode play(*env, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.05, 0.05, 0.05, 0.05});
  play.step({1, 1, 1, 1});
  for (std::size_t d = 10; d < 13; ++d) EXPECT_EQ(play.state()[d], 0);
  // A roll to the right (about x, forward) moves the craft to the right, towards negative y.
  SingleEpisode tilted(*env, {0, 0, 0, 0, 0, 0, std::cos(0.1), std::sin(0.1), 0, 0, 0, 0, 0, 0.07, 0.07, 0.07, 0.07});
  tilted.step({0, 0, 0, 0});
  EXPECT_LT(tilted.state()[4], -1e-3);
}

TEST(QuadrotorMotion, conserves_energy_and_angular_momentum_without_thrust) {
  const auto env = make_env("quadrotor:gravity=0,drag=0");
  SingleEpisode play(*env, {0, 0, 0, 0.1, 0, 0, 0.5, 0.5, -0.5, 0.5, 6, -4, 8, 0, 0, 0, 0});
  const std::array moments{16.6e-6, 16.6e-6, 29.3e-6};
  const auto momentum = [&](const std::vector<double>& s) {
    const Matrix R = rotation(s[6], s[7], s[8], s[9]);
    std::vector<double> out;
    for (std::size_t d = 0; d < 3; ++d) {
      Real sum = 0;
      for (std::size_t k = 0; k < 3; ++k) sum += R[d][k] * moments[k] * s[10 + k];
      out.push_back(static_cast<double>(sum / 1e-5L));
    }
    double energy = 0;
    for (std::size_t k = 0; k < 3; ++k) energy += 0.5 * moments[k] * s[10 + k] * s[10 + k] / 1e-3;
    out.push_back(energy);
    return out;
  };
  const std::vector<double> before = momentum(play.state());
  double worst = 0, length = 0;
  for (int t = 0; t < 500; ++t) {
    play.step({-1, -1, -1, -1});
    const std::vector<double> now = momentum(play.state());
    for (std::size_t d = 0; d < 4; ++d) worst = std::max(worst, std::abs(now[d] - before[d]) / std::abs(before[3]));
    double square = 0;
    for (std::size_t d = 6; d < 10; ++d) square += play.state()[d] * play.state()[d];
    length = std::max(length, std::abs(std::sqrt(square) - 1));
  }
  fmt::print("in 5 s of tumbling, momentum and energy drift by {:.1e}, the quaternion's length by {:.1e}\n", worst,
             length);
  EXPECT_LE(worst, 1e-6);
  EXPECT_LE(length, 1e-15);
}

TEST(QuadrotorMotion, thrust_approaches_its_command_exponentially) {
  for (const double lag : {0.0375, 0.005, 0.3}) {
    const auto env = make_env(fmt::format("quadrotor:motor_lag={}", lag));
    SingleEpisode play(*env, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.01, 0.02, 0.03, 0.04});
    for (int t = 1; t <= 20; ++t) {
      play.step({0.5, -0.2, 3, -1});
      const std::array commands{0.12, 0.064, 0.16, 0.0}, starts{0.01, 0.02, 0.03, 0.04};
      for (std::size_t i = 0; i < 4; ++i) {
        const double expected = commands[i] + (starts[i] - commands[i]) * std::exp(-0.01 * t / lag);
        EXPECT_NEAR(play.state()[13 + i], expected, 1e-15) << lag << " " << t;
      }
    }
  }
}

}  // namespace
}  // namespace mercer

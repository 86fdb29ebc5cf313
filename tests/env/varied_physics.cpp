#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/perturb.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

using std::numbers::pi;

struct ScalarStep {
  std::vector<double> state;
  double reward = 0;
  bool terminated = false;
};
// One step in plain scalar code: state and parameters in, state out.
using ScalarTask =
    std::function<ScalarStep(const std::vector<double>& state, const std::vector<double>& physics, double action)>;

ScalarStep scalar_pendulum(const std::vector<double>& s, const std::vector<double>& p, double action, bool raw) {
  const double g = p[0], m = p[1], l = p[2], dt = p[3], damping = p[4];
  const double u = std::clamp(action, -2.0, 2.0), wrapped = std::remainder(s[0], 2 * pi);
  const double inertia = m * l * l / 3;
  const double pushed = s[1] + (m * g * l / 2 * std::sin(s[0]) + u - damping * s[1]) / inertia * dt;
  const double clipped = std::clamp(pushed, -8.0, 8.0);
  return {{s[0] + (raw ? pushed : clipped) * dt, clipped}, -(wrapped * wrapped + 0.1 * s[1] * s[1] + 0.001 * u * u)};
}

ScalarStep scalar_car(const std::vector<double>& s, const std::vector<double>& p, double push, double goal) {
  double v = std::clamp(s[1] + push * p[0] - p[1] * std::cos(3 * s[0]), -0.07, 0.07);
  const double x = std::clamp(s[0] + v, -1.2, 0.6);
  if (x == -1.2 && v < 0) v = 0;
  return {{x, v}, 0, x >= goal && v >= 0};
}

ScalarStep scalar_cart_pole(const std::vector<double>& s, const std::vector<double>& p, double action) {
  const double gravity = p[0], cart = p[1], pole = p[2], half = p[3], force = action == 1 ? p[4] : -p[4];
  const double total = cart + pole, sine = std::sin(s[2]), cosine = std::cos(s[2]);
  const double pull = (force + pole * half * s[3] * s[3] * sine) / total;
  const double angular = (gravity * sine - cosine * pull) / (half * (4.0 / 3.0 - pole * cosine * cosine / total));
  const double linear = pull - pole * half * angular * cosine / total;
  const std::vector<double> next{s[0] + 0.02 * s[1], s[1] + 0.02 * linear, s[2] + 0.02 * s[3], s[3] + 0.02 * angular};
  return {next, 1, std::abs(next[0]) > 2.4 || std::abs(next[2]) > 12 * 2 * pi / 360};
}

// Two equations for two accelerations, by Cramer's rule.
std::array<double, 4> acrobot_slope(const std::array<double, 4>& s, const std::vector<double>& p, double torque) {
  const double m1 = p[0], m2 = p[1], l1 = p[2], c1 = p[3], c2 = p[4], moi = p[5], g = p[7];
  const double cosine = std::cos(s[1]), turn = m2 * l1 * c2 * std::sin(s[1]);
  const double a11 = m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * cosine) + 2 * moi;
  const double a12 = m2 * (c2 * c2 + l1 * c2 * cosine) + moi, a22 = m2 * c2 * c2 + moi;
  const double lower = m2 * c2 * g * std::sin(s[0] + s[1]);
  const double b1 = turn * (s[3] * s[3] + 2 * s[2] * s[3]) - (m1 * c1 + m2 * l1) * g * std::sin(s[0]) - lower;
  const double b2 = torque - turn * s[2] * s[2] - lower;
  const double determinant = a11 * a22 - a12 * a12;
  return {s[2], s[3], (b1 * a22 - a12 * b2) / determinant, (a11 * b2 - a12 * b1) / determinant};
}

ScalarStep scalar_acrobot(const std::vector<double>& s, const std::vector<double>& p, double action) {
  const std::array<double, 4> start{s[0], s[1], s[2], s[3]};
  std::array<double, 4> at = start, next = start;
  for (const auto& [weight, ahead] : {std::pair{1.0, 0.1}, {2.0, 0.1}, {2.0, 0.2}, {1.0, 0.0}}) {
    const std::array<double, 4> along = acrobot_slope(at, p, (action - 1) * p[6]);
    for (std::size_t d = 0; d < 4; ++d) {
      next[d] += 0.2 / 6 * weight * along[d];
      at[d] = start[d] + ahead * along[d];
    }
  }
  const double t1 = std::remainder(next[0], 2 * pi), t2 = std::remainder(next[1], 2 * pi);
  const bool swung_up = -std::cos(t1) - std::cos(t1 + t2) > 1;
  const std::vector<double> after{t1, t2, std::clamp(next[2], -4 * pi, 4 * pi), std::clamp(next[3], -9 * pi, 9 * pi)};
  return {after, swung_up ? 0.0 : -1.0, swung_up};
}

struct VariedTask {
  const char* name;
  const char* drawn;  // settings with every parameter drawn
  const char* fixed;  // and fixed, to the values below
  std::vector<double> values;
  ScalarTask step;
  double tolerance = 1e-11;
};

std::vector<VariedTask> varied_tasks() {
  const char* rod = "g=5..20,m=0.5..2,l=0.5..2,dt=0.01..0.1,damping=0..2";
  const char* fixed_rod = "g=7,m=1.3,l=0.8,dt=0.04,damping=0.3";
  return {{"pendulum",
           rod,
           fixed_rod,
           {7, 1.3, 0.8, 0.04, 0.3},
           [](const auto& s, const auto& p, double a) { return scalar_pendulum(s, p, a, false); }},
          {"pendulum-v0",
           rod,
           fixed_rod,
           {7, 1.3, 0.8, 0.04, 0.3},
           [](const auto& s, const auto& p, double a) { return scalar_pendulum(s, p, a, true); }},
          {"continuous-mountain-car",
           "force=0.0005..0.003,gravity=0.001..0.004",
           "force=0.002,gravity=0.003",
           {0.002, 0.003},
           [](const auto& s, const auto& p, double a) {
             ScalarStep out = scalar_car(s, p, std::clamp(a, -1.0, 1.0), 0.45);
             out.reward = (out.terminated ? 100 : 0) - 0.1 * a * a;
             return out;
           },
           1e-7},  // its state is kept in single precision
          {"mountain-car",
           "force=0.0005..0.003,gravity=0.001..0.004",
           "force=0.0013,gravity=0.002",
           {0.0013, 0.002},
           [](const auto& s, const auto& p, double a) {
             ScalarStep out = scalar_car(s, p, a - 1, 0.5);
             out.reward = -1;
             return out;
           }},
          {"cart-pole",
           "gravity=5..20,masscart=0.5..2,masspole=0.05..0.5,length=0.25..1,force=5..20",
           "gravity=8,masscart=1.5,masspole=0.2,length=0.7,force=12",
           {8, 1.5, 0.2, 0.7, 12},
           scalar_cart_pole},
          {"acrobot",
           "m1=0.5..2,m2=0.5..2,l1=0.5..2,com1=0.2..1,com2=0.2..1,moi=0.5..2,torque=0.5..3,gravity=5..20",
           "m1=1.2,m2=0.8,l1=1.1,com1=0.6,com2=0.4,moi=0.9,torque=1.5,gravity=9",
           {1.2, 0.8, 1.1, 0.6, 0.4, 0.9, 1.5, 9},
           scalar_acrobot}};
}

// All columns of a batch, from reset on, under actions drawn at random.
struct BatchPlay {
  BatchPlay(const Env& played, std::size_t columns, std::uint64_t by_seed)
      : env(played),
        count(columns),
        seed(by_seed),
        numbers((env.task().state.dimensions() + 1) * count),
        items(count),
        reward(count),
        terminated(count) {
    for (std::size_t i = 0; i < count; ++i) items[i] = i;
    env.reset({seed, Stage::start, 0, items}, state());
  }
  MatrixView<double> state() { return {numbers.data(), env.task().state.dimensions(), count}; }
  MatrixView<double> action() { return {&numbers[env.task().state.dimensions() * count], 1, count}; }
  std::vector<double> column(std::size_t i, std::size_t first, std::size_t rows) {
    std::vector<double> out;
    for (std::size_t d = first; d < first + rows; ++d) out.push_back(state()(d, i));
    return out;
  }
  void step(std::uint32_t t) {
    const Range range = env.task().action.axes[0].range;
    Draws{seed, Stage::action, t, items}.fill_uniform(action().row(0), range.low, range.high);
    if (env.task().action.is_discrete()) {
      for (double& value : action().row(0)) value = std::round(value);
    }
    env.step(state(), action(), {seed, Stage::transition, t, items}, reward, terminated);
  }

  const Env& env;
  std::size_t count;
  std::uint64_t seed;
  std::vector<double> numbers;
  std::vector<std::uint64_t> items;
  std::vector<double> reward;
  std::vector<std::uint8_t> terminated;
};

TEST(VariedPhysics, each_step_is_that_of_plain_scalar_code) {
  for (const VariedTask& task : varied_tasks()) {
    const std::size_t own = make_env(task.name)->task().state.dimensions(), parameters = task.values.size();
    for (const bool drawn : {true, false}) {
      const auto env = make_env(std::string(task.name) + ":" + (drawn ? task.drawn : task.fixed));
      ASSERT_EQ(env->task().state.dimensions(), own + (drawn ? parameters : 0)) << task.name;
      BatchPlay play(*env, 300, 5);
      for (std::uint32_t t = 0; t < 30; ++t) {
        std::vector<ScalarStep> expected;
        std::vector<std::vector<double>> before;
        for (std::size_t i = 0; i < play.count; ++i) before.push_back(play.column(i, 0, own));
        play.step(t);
        for (std::size_t i = 0; i < play.count; ++i) {
          const auto physics = drawn ? play.column(i, own, parameters) : task.values;
          const ScalarStep twin = task.step(before[i], physics, play.action()(0, i));
          for (std::size_t d = 0; d < own; ++d) {
            ASSERT_NEAR(play.state()(d, i), twin.state[d], task.tolerance * std::max(1.0, std::abs(twin.state[d])))
                << task.name << " step " << t << " column " << i << " row " << d;
          }
          ASSERT_NEAR(play.reward[i], twin.reward, 1e-9) << task.name;
          ASSERT_EQ(play.terminated[i] != 0, twin.terminated) << task.name;
        }
      }
    }
  }
}

// The varied step at nominal values, the nominal one, and nominal values that are spelled out: the same bits.
TEST(VariedPhysics, nominal_values_give_nominal_bits) {
  const std::vector<std::string> nominal{"pendulum:g=10,m=1,l=1,dt=0.05,damping=0",
                                         "pendulum-v0:g=10,m=1,l=1,dt=0.05,damping=0",
                                         "continuous-mountain-car:force=0.0015,gravity=0.0025",
                                         "mountain-car:force=0.001,gravity=0.0025",
                                         "cart-pole:gravity=9.8,masscart=1,masspole=0.1,length=0.5,force=10",
                                         "acrobot:m1=1,m2=1,l1=1,com1=0.5,com2=0.5,moi=1,torque=1,gravity=9.8"};
  const std::vector<VariedTask> tasks = varied_tasks();
  for (std::size_t k = 0; k < tasks.size(); ++k) {
    const auto plain = make_env(tasks[k].name), spelled = make_env(nominal[k]),
               varied = make_env(std::string(tasks[k].name) + ":" + tasks[k].drawn);
    const std::size_t own = plain->task().state.dimensions();
    EXPECT_EQ(spelled->task().state.dimensions(), own);
    EXPECT_EQ(spelled->task().dt, plain->task().dt);
    BatchPlay first(*plain, 300, 8), second(*spelled, 300, 8), third(*varied, 300, 8);
    const std::vector<Parameter> parameters = [&] {
      for (const EnvEntry& entry : known_envs()) {
        if (entry.name == tasks[k].name) return entry.parameters;
      }
      return std::vector<Parameter>{};
    }();
    ASSERT_EQ(parameters.size(), tasks[k].values.size());
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      std::ranges::fill(third.state().row(own + p), parameters[p].nominal);
    }
    for (std::uint32_t t = 0; t < 50; ++t) {
      for (BatchPlay* play : {&first, &second, &third}) play->step(t);
      for (BatchPlay* play : {&second, &third}) {
        ASSERT_EQ(std::memcmp(first.numbers.data(), play->numbers.data(), own * 300 * sizeof(double)), 0)
            << tasks[k].name << " step " << t;
        ASSERT_EQ(first.reward, play->reward) << tasks[k].name;
        ASSERT_EQ(first.terminated, play->terminated) << tasks[k].name;
      }
    }
  }
}

TEST(VariedPhysics, values_are_drawn_uniformly_and_keep_for_the_episode) {
  const auto env = make_env("pendulum:m=0.8..1.2,damping=0..0.5");
  const Task& task = env->task();
  EXPECT_EQ(task.state.axes[2].name, "m");
  EXPECT_EQ(task.state.axes[3].name, "damping");
  EXPECT_EQ(task.observation.dimensions(), 3);
  constexpr std::size_t n = 20000;
  BatchPlay play(*env, n, 3);
  const auto mass = play.state().row(2), damping = play.state().row(3);
  const std::vector<double> masses(mass.begin(), mass.end()), dampings(damping.begin(), damping.end());
  EXPECT_LE(ks_distance_to_uniform(masses, 0.8, 1.2), ks_limit(n));
  EXPECT_LE(ks_distance_to_uniform(dampings, 0, 0.5), ks_limit(n));
  double together = 0;  // each its own draws: the covariance is 0 within 5 standard errors
  for (std::size_t i = 0; i < n; ++i) together += (masses[i] - 1) * (dampings[i] - 0.25) / n;
  EXPECT_LE(std::abs(together), 5 * (0.4 / std::sqrt(12)) * (0.5 / std::sqrt(12)) / std::sqrt(n));
  play.step(0);
  EXPECT_TRUE(std::ranges::equal(play.state().row(2), masses));
  // What else is perturbed changes neither the start nor the draw.
  const auto alone = make_env("pendulum:m=0.8..1.2"), plain = make_env("pendulum");
  BatchPlay other(*alone, n, 3), start(*plain, n, 3);
  EXPECT_TRUE(std::ranges::equal(other.state().row(2), masses));
  EXPECT_TRUE(std::ranges::equal(other.state().row(0), start.state().row(0)));
}

TEST(VariedPhysics, seconds_a_step_are_those_of_the_task) {
  EXPECT_EQ(make_env("pendulum:dt=0.02")->task().dt, 0.02);
  EXPECT_DOUBLE_EQ(make_env("pendulum:dt=0.02..0.04")->task().dt, 0.03);
  EXPECT_EQ(make_env("Pendulum-v1:m=2")->task().name, "pendulum");
}

TEST(VariedPhysics, illegal_values_are_refused) {
  expect_error(ErrorCode::out_of_range, "task 'pendulum': m is 0; legal: 0.1 to 10", [] { make_env("pendulum:m=0"); });
  expect_error(ErrorCode::out_of_range, "m is 20; legal: 0.1 to 10", [] { make_env("pendulum:m=1..20"); });
  expect_error(ErrorCode::bad_value,
               "m is '1.2..0.8', from a larger number to a smaller one. Write the smaller end "
               "first: m=0.8..1.2",
               [] { make_env("pendulum:m=1.2..0.8"); });
  expect_error(ErrorCode::bad_value, "m is '1..', which", [] { make_env("pendulum:m=0.9..1.."); });
  expect_error(ErrorCode::bad_value, "m is '', which is not a number", [] { make_env("pendulum:m=..2"); });
  expect_error(ErrorCode::unknown_name, "no setting of task 'cart-pole' is called 'mass'",
               [] { make_env("cart-pole:mass=2"); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'masspole'?", [] { make_env("cart-pole:maspole=2"); });
}

}  // namespace
}  // namespace mercer

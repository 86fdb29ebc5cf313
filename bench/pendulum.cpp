// Steps of the pendulum on one core: Mercer's batch against a plain loop over the same dynamics, one episode after the
// other. Both compute in double precision and are compiled with the same flags. `hold` plays a constant torque and
// never looks at the state; `damp` observes first and plays a torque made of all three observations.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <benchmark/benchmark.h>

#include "mercer/env.hpp"
#include "ratio.hpp"

namespace {

constexpr std::size_t batch = 4096;
constexpr double held_torque = 0.3;

double start_angle(std::size_t episode) { return static_cast<double>(episode % 628) / 100 - 3.14; }
double damping(double cosine, double sine, double speed) {
  return std::min(std::max(-0.5 * speed - sine * cosine, -2.0), 2.0);
}

struct Scalar {
  double theta;
  double speed;
};

double scalar_step(Scalar& s, double torque) {
  constexpr double pi = std::numbers::pi;
  const double u = std::clamp(torque, -2.0, 2.0);
  const double shifted = std::fmod(s.theta + pi, 2 * pi);
  const double wrapped = (shifted < 0 ? shifted + 2 * pi : shifted) - pi;
  const double reward = -(wrapped * wrapped + 0.1 * s.speed * s.speed + 0.001 * u * u);
  s.speed = std::clamp(s.speed + (15 * std::sin(s.theta) + 3 * u) * 0.05, -8.0, 8.0);
  s.theta += s.speed * 0.05;
  return reward;
}

template <class Torque>
void run_scalar(benchmark::State& state, Torque torque) {
  std::vector<Scalar> episodes(batch);
  for (std::size_t i = 0; i < batch; ++i) episodes[i] = {start_angle(i), 0};
  for (auto _ : state) {
    double sum = 0;
    for (Scalar& episode : episodes) sum += scalar_step(episode, torque(episode));
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * batch));
}

void pendulum_hold_scalar(benchmark::State& state) {
  run_scalar(state, [](const Scalar&) { return held_torque; });
}
void pendulum_damp_scalar(benchmark::State& state) {
  run_scalar(state, [](const Scalar& s) { return damping(std::cos(s.theta), std::sin(s.theta), s.speed); });
}

// `torque(env, states, observation, action)` fills the actions.
template <class Torque>
void run_batch(benchmark::State& state, Torque torque) {
  const auto env = mercer::make_env("pendulum");
  std::vector<double> memory(7 * batch);
  const mercer::MatrixView<double> states(memory.data(), 2, batch);
  const mercer::MatrixView<double> observation(memory.data() + 2 * batch, 3, batch);
  const mercer::MatrixView<double> action(memory.data() + 5 * batch, 1, batch);
  const std::span<double> reward(memory.data() + 6 * batch, batch);
  std::vector<std::uint8_t> terminated(batch);
  for (std::size_t i = 0; i < batch; ++i) states(0, i) = start_angle(i);
  for (auto _ : state) {
    torque(*env, states, observation, action.row(0));
    env->step(states, action, {}, reward, terminated);
    benchmark::DoNotOptimize(reward.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * batch));
}

using Matrix = mercer::MatrixView<double>;

void pendulum_hold_batch(benchmark::State& state) {
  run_batch(state, [](const mercer::Env&, Matrix, Matrix, std::span<double> action) {
    std::ranges::fill(action, held_torque);
  });
}
void pendulum_damp_batch(benchmark::State& state) {
  run_batch(state, [](const mercer::Env& env, Matrix states, Matrix observation, std::span<double> action) {
    env.observe(states, observation);
    const auto c = observation.row(0), s = observation.row(1), v = observation.row(2);
    for (std::size_t i = 0; i < batch; ++i) action[i] = damping(c[i], s[i], v[i]);
  });
}

BENCHMARK(pendulum_hold_scalar);
BENCHMARK(pendulum_hold_batch);
BENCHMARK(pendulum_damp_scalar);
BENCHMARK(pendulum_damp_batch);
const bool declared = declare_ratio({"pendulum step, batch 4096, float64, constant torque", "pendulum_hold_batch",
                                     "pendulum_hold_scalar", 8}) &&
                      declare_ratio({"pendulum observe and step, torque from the observation", "pendulum_damp_batch",
                                     "pendulum_damp_scalar", 4});

}  // namespace

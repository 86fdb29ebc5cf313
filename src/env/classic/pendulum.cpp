#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double gravity = 10;  // m/s^2; the rod has mass 1 kg and length 1 m
constexpr double dt = 0.05;
constexpr double max_speed = 8;
constexpr double max_torque = 2;
constexpr double lowest_reward = -(pi * pi + 0.1 * max_speed * max_speed + 0.001 * max_torque * max_torque);

// Which speed moves the angle: Pendulum-v1 clips it first, Pendulum-v0 afterwards.
enum class Advance { with_clipped_speed, with_raw_speed };

Task pendulum_task(std::string name) {
  return {
      std::move(name),
      Space::box({{"theta", {-HUGE_VAL, HUGE_VAL}, "rad", false}, {"speed", {-max_speed, max_speed}, "rad/s", false}}),
      Space::box({{"cos_theta", {-1, 1}, "", false},
                  {"sin_theta", {-1, 1}, "", false},
                  {"speed", {-max_speed, max_speed}, "rad/s", false}}),
      Space::box({{"torque", {-max_torque, max_torque}, "N m", false}}),
      {lowest_reward, 0},
      200,
      0.99,
      dt};
}

// Angle from upright, counted without wrapping; the reward sees it wrapped to [-pi, pi).
class Pendulum final : public Env {
 public:
  Pendulum(std::string name, Advance advance) : Env(pendulum_task(std::move(name))), advance_(advance) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    draws.fill_uniform(state.row(0), -pi, pi, 0);
    draws.fill_uniform(state.row(1), -1, 1, 1);
  }

  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    sincos(state.row(0), observation.row(1), observation.row(0));
    std::ranges::copy(state.row(1), observation.row(2).begin());
  }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(terminated, std::uint8_t{0});
    for_each_chunk(state.cols(), [&](std::size_t begin, std::size_t count) {
      step_chunk(state.columns(begin, count), action.row(0).subspan(begin, count), reward.subspan(begin, count));
    });
  }

 private:
  void step_chunk(MatrixView<double> state, std::span<const double> action, std::span<double> reward) const {
    const std::size_t count = state.cols();
    Chunk pull;
    sine(state.row(0), std::span(pull).first(count));
    double* __restrict theta = state.row(0).data();
    double* __restrict speed = state.row(1).data();
    double* __restrict out = reward.data();
    const double* __restrict torque = action.data();
    const bool raw = advance_ == Advance::with_raw_speed;
    for (std::size_t i = 0; i < count; ++i) {
      const double u = std::min(std::max(torque[i], -max_torque), max_torque);
      const double wrapped = theta[i] - 2 * pi * std::floor((theta[i] + pi) * (1 / (2 * pi)));
      const double square = std::min(wrapped * wrapped, pi * pi);  // rounding of many turns must not pass the bound
      out[i] = -(square + 0.1 * (speed[i] * speed[i]) + 0.001 * (u * u));
      const double pushed = speed[i] + (1.5 * gravity * pull[i] + 3 * u) * dt;
      const double clipped = std::min(std::max(pushed, -max_speed), max_speed);
      theta[i] += (raw ? pushed : clipped) * dt;
      speed[i] = clipped;
    }
  }

  Advance advance_;
};

}  // namespace

EnvEntry pendulum_entry() {
  return {"pendulum", "swing a rod up and hold it there (Gymnasium Pendulum-v1)", "",
          [](Params&) { return std::make_unique<Pendulum>("pendulum", Advance::with_clipped_speed); }};
}

EnvEntry pendulum_v0_entry() {
  return {"pendulum-v0", "the same, the angle moved by the speed before it is clipped (Gym Pendulum-v0)", "",
          [](Params&) { return std::make_unique<Pendulum>("pendulum-v0", Advance::with_raw_speed); }};
}

}  // namespace mercer

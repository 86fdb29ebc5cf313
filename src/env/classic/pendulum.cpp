#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"
#include "env/drawn.hpp"

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double max_speed = 8;
constexpr double max_torque = 2;
constexpr double lowest_reward = -(pi * pi + 0.1 * max_speed * max_speed + 0.001 * max_torque * max_torque);

enum : std::size_t { g, m, l, dt, damping };
constexpr std::array nominal_rod{10.0, 1.0, 1.0, 0.05, 0.0};

std::vector<Parameter> rod_parameters() {
  return {{"g", "gravity, m/s^2", nominal_rod[g], {0, 30}},
          {"m", "mass of the rod, kg", nominal_rod[m], {0.1, 10}},
          {"l", "length of the rod, m", nominal_rod[l], {0.1, 10}},
          {"dt", "seconds a step", nominal_rod[dt], {0.001, 0.2}},
          {"damping", "friction of the hinge, N m s/rad", nominal_rod[damping], {0, 10}}};
}

// Which speed moves the angle: Pendulum-v1 clips it first, Pendulum-v0 afterwards.
enum class Advance { with_clipped_speed, with_raw_speed };

Task pendulum_task(std::string name, const DrawnParameters& rod) {
  return {std::move(name),
          rod.extended(Space::box(
              {{"theta", {-HUGE_VAL, HUGE_VAL}, "rad", false}, {"speed", {-max_speed, max_speed}, "rad/s", false}})),
          Space::box({{"cos_theta", {-1, 1}, "", false},
                      {"sin_theta", {-1, 1}, "", false},
                      {"speed", {-max_speed, max_speed}, "rad/s", false}}),
          Space::box({{"torque", {-max_torque, max_torque}, "N m", false}}),
          {lowest_reward, 0},
          200,
          0.99,
          rod.middle(dt)};
}

// Angle from upright, counted without wrapping; the reward sees it wrapped to [-pi, pi).
class Pendulum final : public Env {
 public:
  Pendulum(std::string name, Advance advance, DrawnParameters rod)
      : Env(pendulum_task(std::move(name), rod)), advance_(advance), rod_(std::move(rod)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    draws.fill_uniform(state.row(0), -pi, pi, 0);
    draws.fill_uniform(state.row(1), -1, 1, 1);
    rod_.draw(draws, state);
  }

  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    sincos(state.row(0), observation.row(1), observation.row(0));
    std::ranges::copy(state.row(1), observation.row(2).begin());
  }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(terminated, std::uint8_t{0});
    rod_.for_each_chunk<nominal_rod>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      step_chunk(values, chunk, action.row(0).subspan(begin, chunk.cols()), reward.subspan(begin, chunk.cols()));
    });
  }

 private:
  // I a = m g l / 2 sin(theta) + u - damping speed, with I = m l^2 / 3.
  template <class Values>
  void step_chunk(Values values, MatrixView<double> state, std::span<const double> action,
                  std::span<double> reward) const {
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
      const auto rod = values(i);
      double turning = u;
      if constexpr (Values::varied) turning -= rod[damping] * speed[i];
      const double pushed =
          speed[i] + (3 * rod[g] / (2 * rod[l]) * pull[i] + 3 / (rod[m] * (rod[l] * rod[l])) * turning) * rod[dt];
      const double clipped = std::min(std::max(pushed, -max_speed), max_speed);
      theta[i] += (raw ? pushed : clipped) * rod[dt];
      speed[i] = clipped;
    }
  }

  Advance advance_;
  DrawnParameters rod_;
};

EnvFactory maker(const char* name, Advance advance) {
  return [name, advance](Params& params) {
    return std::make_unique<Pendulum>(name, advance, read_physics(rod_parameters(), params, 2));
  };
}

}  // namespace

EnvEntry pendulum_entry() {
  return {"pendulum", "swing a rod up and hold it there (Gymnasium Pendulum-v1)", "",
          maker("pendulum", Advance::with_clipped_speed), rod_parameters()};
}

EnvEntry pendulum_v0_entry() {
  return {"pendulum-v0", "the same, the angle moved by the speed before it is clipped (Gym Pendulum-v0)", "",
          maker("pendulum-v0", Advance::with_raw_speed), rod_parameters()};
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"

namespace mercer {
namespace {

constexpr double gravity = 9.8;
constexpr double cart_mass = 1;
constexpr double pole_mass = 0.1;
constexpr double total_mass = cart_mass + pole_mass;
constexpr double half_length = 0.5;
constexpr double force = 10;
constexpr double dt = 0.02;
constexpr double max_position = 2.4;
constexpr double max_angle = 12 * 2 * std::numbers::pi / 360;

Task cart_pole_task() {
  const Space space = Space::box({{"position", {-2 * max_position, 2 * max_position}, "m", false},
                                  {"velocity", {-HUGE_VAL, HUGE_VAL}, "m/s", false},
                                  {"angle", {-2 * max_angle, 2 * max_angle}, "rad", false},
                                  {"angular_velocity", {-HUGE_VAL, HUGE_VAL}, "rad/s", false}});
  return {"cart-pole", space, space, Space::discrete("push", 2), {1, 1}, 500, 0.99, dt, Ending::failure};
}

class CartPole final : public Env {
 public:
  CartPole() : Env(cart_pole_task()) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    for (std::uint32_t d = 0; d < 4; ++d) draws.fill_uniform(state.row(d), -0.05, 0.05, d);
  }

  // The equations of Barto, Sutton and Anderson without friction, one explicit Euler step.
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(reward, 1.0);
    for_each_chunk(state.cols(), [&](std::size_t begin, std::size_t count) {
      const MatrixView<double> chunk = state.columns(begin, count);
      Chunk sine;
      Chunk cosine;
      sincos(chunk.row(2), std::span(sine).first(count), std::span(cosine).first(count));
      double* __restrict x = chunk.row(0).data();
      double* __restrict v = chunk.row(1).data();
      double* __restrict theta = chunk.row(2).data();
      double* __restrict omega = chunk.row(3).data();
      const double* __restrict push = action.row(0).data() + begin;
      for (std::size_t i = 0; i < count; ++i) {
        const double moment = pole_mass * half_length;
        const double pull = ((push[i] == 1 ? force : -force) + moment * (omega[i] * omega[i]) * sine[i]) / total_mass;
        const double angular = (gravity * sine[i] - cosine[i] * pull) /
                               (half_length * (4.0 / 3.0 - pole_mass * (cosine[i] * cosine[i]) / total_mass));
        const double linear = pull - moment * angular * cosine[i] / total_mass;
        x[i] += dt * v[i];
        v[i] += dt * linear;
        theta[i] += dt * omega[i];
        omega[i] += dt * angular;
        terminated[begin + i] = std::abs(x[i]) > max_position || std::abs(theta[i]) > max_angle;
      }
    });
  }
};

}  // namespace

EnvEntry cart_pole_entry() {
  return {"cart-pole", "keep a pole upright on a cart (Gymnasium CartPole-v1)", "",
          [](Params&) { return std::make_unique<CartPole>(); }};
}

}  // namespace mercer

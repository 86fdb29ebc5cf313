#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"
#include "env/drawn.hpp"

namespace mercer {
namespace {

enum : std::size_t { gravity, cart_mass, pole_mass, half_length, force };
constexpr std::array nominal_cart{9.8, 1.0, 0.1, 0.5, 10.0};

std::vector<Parameter> cart_parameters() {
  return {{"gravity", "m/s^2", nominal_cart[gravity], {0, 30}},
          {"masscart", "mass of the cart, kg", nominal_cart[cart_mass], {0.2, 10}},
          {"masspole", "mass of the pole, kg", nominal_cart[pole_mass], {0.01, 2}},
          {"length", "half the length of the pole, m", nominal_cart[half_length], {0.1, 5}},
          {"force", "size of a push, N", nominal_cart[force], {0, 50}}};
}

constexpr double dt = 0.02;
constexpr double max_position = 2.4;
constexpr double max_angle = 12 * 2 * std::numbers::pi / 360;

Task cart_pole_task(const DrawnParameters& cart) {
  const Space space = Space::box({{"position", {-2 * max_position, 2 * max_position}, "m", false},
                                  {"velocity", {-HUGE_VAL, HUGE_VAL}, "m/s", false},
                                  {"angle", {-2 * max_angle, 2 * max_angle}, "rad", false},
                                  {"angular_velocity", {-HUGE_VAL, HUGE_VAL}, "rad/s", false}});
  return {"cart-pole", cart.extended(space), space, Space::discrete("push", 2), {1, 1}, 500, 0.99, dt, Ending::failure};
}

class CartPole final : public Env {
 public:
  explicit CartPole(DrawnParameters cart) : Env(cart_pole_task(cart)), cart_(std::move(cart)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    for (std::uint32_t d = 0; d < 4; ++d) draws.fill_uniform(state.row(d), -0.05, 0.05, d);
    cart_.draw(draws, state);
  }

  // The equations of Barto, Sutton and Anderson without friction, one explicit Euler step.
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(reward, 1.0);
    cart_.for_each_chunk<nominal_cart>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      const std::size_t count = chunk.cols();
      Chunk sine;
      Chunk cosine;
      sincos(chunk.row(2), std::span(sine).first(count), std::span(cosine).first(count));
      double* __restrict x = chunk.row(0).data();
      double* __restrict v = chunk.row(1).data();
      double* __restrict theta = chunk.row(2).data();
      double* __restrict omega = chunk.row(3).data();
      const double* __restrict push = action.row(0).data() + begin;
      for (std::size_t i = 0; i < count; ++i) {
        const auto cart = values(i);
        const double total_mass = cart[cart_mass] + cart[pole_mass];
        const double moment = cart[pole_mass] * cart[half_length];
        const double pull =
            ((push[i] == 1 ? cart[force] : -cart[force]) + moment * (omega[i] * omega[i]) * sine[i]) / total_mass;
        const double angular =
            (cart[gravity] * sine[i] - cosine[i] * pull) /
            (cart[half_length] * (4.0 / 3.0 - cart[pole_mass] * (cosine[i] * cosine[i]) / total_mass));
        const double linear = pull - moment * angular * cosine[i] / total_mass;
        x[i] += dt * v[i];
        v[i] += dt * linear;
        theta[i] += dt * omega[i];
        omega[i] += dt * angular;
        terminated[begin + i] = std::abs(x[i]) > max_position || std::abs(theta[i]) > max_angle;
      }
    });
  }

 private:
  DrawnParameters cart_;
};

}  // namespace

EnvEntry cart_pole_entry() {
  return {"cart-pole", "keep a pole upright on a cart (Gymnasium CartPole-v1)", "",
          [](Params& params) { return std::make_unique<CartPole>(read_physics(cart_parameters(), params, 4)); },
          cart_parameters()};
}

}  // namespace mercer

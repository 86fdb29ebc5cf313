#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"
#include "env/drawn.hpp"
#include "env/runge_kutta.hpp"

namespace mercer {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double dt = 0.2;
constexpr double max_speed_1 = 4 * pi;
constexpr double max_speed_2 = 9 * pi;

enum : std::size_t { mass_1, mass_2, length_1, centre_1, centre_2, inertia, torque, gravity };
constexpr std::array nominal_links{1.0, 1.0, 1.0, 0.5, 0.5, 1.0, 1.0, 9.8};

std::vector<Parameter> link_parameters() {
  return {{"m1", "mass of the upper link, kg", nominal_links[mass_1], {0.1, 10}},
          {"m2", "mass of the lower link, kg", nominal_links[mass_2], {0.1, 10}},
          {"l1", "length of the upper link, m", nominal_links[length_1], {0.1, 10}},
          {"com1", "from the upper joint to the centre of mass of its link, m", nominal_links[centre_1], {0.05, 5}},
          {"com2", "from the lower joint to the centre of mass of its link, m", nominal_links[centre_2], {0.05, 5}},
          {"moi", "moment of inertia of each link about its centre of mass, kg m^2", nominal_links[inertia], {0.1, 10}},
          {"torque", "size of a push at the lower joint, N m", nominal_links[torque], {0, 10}},
          {"gravity", "m/s^2", nominal_links[gravity], {0, 30}}};
}

Task acrobot_task(const DrawnParameters& links) {
  const Axis speed_1{"speed_1", {-max_speed_1, max_speed_1}, "rad/s"};
  const Axis speed_2{"speed_2", {-max_speed_2, max_speed_2}, "rad/s"};
  return {"acrobot",
          links.extended(
              Space::box({{"theta_1", {-pi, pi}, "rad", true}, {"theta_2", {-pi, pi}, "rad", true}, speed_1, speed_2})),
          Space::box({{"cos_theta_1", {-1, 1}},
                      {"sin_theta_1", {-1, 1}},
                      {"cos_theta_2", {-1, 1}},
                      {"sin_theta_2", {-1, 1}},
                      speed_1,
                      speed_2}),
          Space::discrete("push", 3),
          {-1, 0},
          500,
          0.99,
          dt,
          Ending::goal};
}

// Rows: angle of the upper link from hanging down, of the lower link from the upper one, and their speeds.
using Links = Block<4, chunk_columns>;

// The derivative of `now` by time: the equations of Sutton and Barto's book. Those of their earlier paper leave out the
// centrifugal term of the lower joint.
template <class Values>
void slope(Values values, std::span<const double> push, const Links& now, Links& out) {
  const std::size_t count = push.size();
  const auto first = [&](const Chunk& chunk) { return std::span(chunk).first(count); };
  Chunk both;
  Chunk sine_1;
  Chunk sine_2;
  Chunk cosine_2;
  Chunk sine_both;
  for (std::size_t i = 0; i < count; ++i) both[i] = now[0][i] + now[1][i];
  sine(first(now[0]), std::span(sine_1).first(count));
  sincos(first(now[1]), std::span(sine_2).first(count), std::span(cosine_2).first(count));
  sine(first(both), std::span(sine_both).first(count));
  for (std::size_t i = 0; i < count; ++i) {
    const auto link = values(i);
    const double w1 = now[2][i];
    const double w2 = now[3][i];
    const double coupling = link[mass_2] * link[length_1] * link[centre_2];
    const double own_2 = link[mass_2] * link[centre_2] * link[centre_2] + link[inertia];
    const double mixed = own_2 + coupling * cosine_2[i];
    const double whole = link[mass_1] * link[centre_1] * link[centre_1] +
                         link[mass_2] * link[length_1] * link[length_1] + own_2 + 2 * coupling * cosine_2[i] +
                         link[inertia];
    const double weight_2 = link[mass_2] * link[centre_2] * link[gravity] * sine_both[i];
    const double weight_1 = (link[mass_1] * link[centre_1] + link[mass_2] * link[length_1]) * link[gravity] * sine_1[i];
    const double pull_1 = weight_1 + weight_2 - coupling * sine_2[i] * (w2 * (w2 + 2 * w1));
    const double pull_2 = weight_2 + coupling * sine_2[i] * (w1 * w1);
    const double angular_2 =
        (link[torque] * (push[i] - 1) + mixed / whole * pull_1 - pull_2) / (own_2 - mixed * mixed / whole);
    out[0][i] = w1;
    out[1][i] = w2;
    out[2][i] = -(mixed * angular_2 + pull_1) / whole;
    out[3][i] = angular_2;
  }
}

double wrap(double angle) {
  const double wrapped = angle - 2 * pi * std::floor((angle + pi) * (1 / (2 * pi)));
  return std::min(std::max(wrapped, -pi), pi);  // rounding must not pass the bound
}

class Acrobot final : public Env {
 public:
  explicit Acrobot(DrawnParameters links) : Env(acrobot_task(links)), links_(std::move(links)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    for (std::uint32_t d = 0; d < 4; ++d) draws.fill_uniform(state.row(d), -0.1, 0.1, d);
    links_.draw(draws, state);
  }

  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    sincos(state.row(0), observation.row(1), observation.row(0));
    sincos(state.row(1), observation.row(3), observation.row(2));
    std::ranges::copy(state.row(2), observation.row(4).begin());
    std::ranges::copy(state.row(3), observation.row(5).begin());
  }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    links_.for_each_chunk<nominal_links>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      const std::size_t count = chunk.cols();
      advance(values, action.row(0).subspan(begin, count), chunk);
      Chunk both;
      Chunk height_1;
      Chunk height_both;
      for (std::size_t i = 0; i < count; ++i) both[i] = chunk(0, i) + chunk(1, i);
      cosine(chunk.row(0), std::span(height_1).first(count));
      cosine(std::span<const double>(both).first(count), std::span(height_both).first(count));
      for (std::size_t i = 0; i < count; ++i) {
        const bool swung_up = -height_1[i] - height_both[i] > 1;
        terminated[begin + i] = swung_up ? StepEnd::task : StepEnd::none;
        reward[begin + i] = swung_up ? 0 : -1;
      }
    });
  }

  Figure figure(std::span<const double> state) const override;

 private:
  // One classical Runge-Kutta step; then angles are wrapped and speeds limited.
  template <class Values>
  static void advance(Values values, std::span<const double> push, MatrixView<double> state) {
    const std::size_t count = state.cols();
    Links links;
    for (std::size_t d = 0; d < 4; ++d) std::ranges::copy(state.row(d), links[d].begin());
    runge_kutta(links, count, dt, [&](const Links& at, std::size_t, Links& along) { slope(values, push, at, along); });
    for (std::size_t i = 0; i < count; ++i) {
      state(0, i) = wrap(links[0][i]);
      state(1, i) = wrap(links[1][i]);
      state(2, i) = std::min(std::max(links[2][i], -max_speed_1), max_speed_1);
      state(3, i) = std::min(std::max(links[3][i], -max_speed_2), max_speed_2);
    }
  }

  DrawnParameters links_;
};

// Both links 1 m long, whatever their centres of mass, and the height that the tip has to reach.
Figure Acrobot::figure(std::span<const double> state) const {
  const std::array joint{std::sin(state[0]), 0.0, -std::cos(state[0])};
  const double both = state[0] + state[1];
  const std::array tip{joint[0] + std::sin(both), 0.0, joint[2] - std::cos(both)};
  return {{{{0, 0, 0}, joint, 0.1}, {joint, tip, 0.1}, {{-2.2, 0, 1}, {2.2, 0, 1}, 0.01, true}}, {Viewpoint::side}};
}

}  // namespace

EnvEntry acrobot_entry() {
  return {"acrobot", "swing two links up by the joint between them (Gymnasium Acrobot-v1)", "",
          [](Params& params) { return std::make_unique<Acrobot>(read_physics(link_parameters(), params, 4)); },
          link_parameters()};
}

}  // namespace mercer

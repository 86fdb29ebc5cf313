#include <algorithm>

#include "core/sincos.hpp"
#include "env/classic/tasks.hpp"
#include "env/drawn.hpp"

namespace mercer {
namespace {

constexpr double lowest_position = -1.2;
constexpr double highest_position = 0.6;
constexpr double max_speed = 0.07;

// What both cars can change. Gymnasium calls the force of the continuous car `power`.
enum : std::size_t { force, gravity };
constexpr std::array nominal_continuous{0.0015, 0.0025};
constexpr std::array nominal_discrete{0.001, 0.0025};

std::vector<Parameter> car_parameters(const std::array<double, 2>& nominal) {
  return {{"force", "what a full push adds to the speed in a step", nominal[force], {0, 0.02}},
          {"gravity", "what the steepest slope adds to the speed in a step", nominal[gravity], {0, 0.02}}};
}

Space car_space() {
  return Space::box(
      {{"position", {lowest_position, highest_position}, "", false}, {"speed", {-max_speed, max_speed}, "", false}});
}

void reset_car(const Draws& draws, const DrawnParameters& car, MatrixView<double> state) {
  draws.fill_uniform(state.row(0), -0.6, -0.4);
  std::ranges::fill(state.row(1), 0.0);
  car.draw(draws, state);
}

// cos(3 position), for a chunk of columns: what the slope adds to the speed is minus gravity times it.
Chunk slope_at(std::span<const double> position) {
  Chunk angle;
  for (std::size_t i = 0; i < position.size(); ++i) angle[i] = 3 * position[i];
  Chunk slope;
  cosine(std::span(angle).first(position.size()), std::span(slope).first(position.size()));
  return slope;
}

// The part of a step that both cars share: speed, then position, each inside its bounds; the left wall stops the car.
inline void move(double push, double& position, double& speed) {
  double v = std::min(std::max(speed + push, -max_speed), max_speed);
  const double x = std::min(std::max(position + v, lowest_position), highest_position);
  v = x == lowest_position && v < 0 ? 0.0 : v;
  position = x;
  speed = v;
}

class ContinuousMountainCar final : public Env {
 public:
  static constexpr double goal = 0.45;

  explicit ContinuousMountainCar(DrawnParameters car)
      : Env({"continuous-mountain-car",
             car.extended(car_space()),
             car_space(),
             Space::box({{"force", {-1, 1}, "", false}}),
             {-0.1, 100},
             999,
             0.99,
             0,
             Ending::goal}),
        car_(std::move(car)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override { reset_car(draws, car_, state); }

  // Gymnasium computes in double precision and keeps the new state in single precision. The force is clipped; the
  // action is charged as it came.
  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    car_.for_each_chunk<nominal_continuous>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      const std::size_t count = chunk.cols();
      const Chunk slope = slope_at(chunk.row(0));
      double* __restrict position = chunk.row(0).data();
      double* __restrict speed = chunk.row(1).data();
      const double* __restrict charged = action.row(0).data() + begin;
      double* __restrict out = reward.data() + begin;
      for (std::size_t i = 0; i < count; ++i) {
        const auto car = values(i);
        const double push = std::min(std::max(charged[i], -1.0), 1.0);
        double x = position[i];
        double v = speed[i];
        move(push * car[force] - car[gravity] * slope[i], x, v);
        out[i] = (x >= goal && v >= 0 ? 100.0 : 0.0) - charged[i] * charged[i] * 0.1;
        terminated[begin + i] = x >= goal && v >= 0;
        position[i] = static_cast<float>(x);
        speed[i] = static_cast<float>(v);
      }
    });
  }

  // The goal is reached once at most, and every step costs at most 0.1.
  Range return_range(std::uint32_t horizon) const override { return {-0.1 * horizon, 100}; }

 private:
  DrawnParameters car_;
};

class MountainCar final : public Env {
 public:
  static constexpr double goal = 0.5;

  explicit MountainCar(DrawnParameters car)
      : Env({"mountain-car",
             car.extended(car_space()),
             car_space(),
             Space::discrete("push", 3),
             {-1, -1},
             200,
             0.99,
             0,
             Ending::goal}),
        car_(std::move(car)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override { reset_car(draws, car_, state); }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws&, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    std::ranges::fill(reward, -1.0);
    car_.for_each_chunk<nominal_discrete>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      const std::size_t count = chunk.cols();
      const Chunk slope = slope_at(chunk.row(0));
      double* __restrict position = chunk.row(0).data();
      double* __restrict speed = chunk.row(1).data();
      const double* __restrict push = action.row(0).data() + begin;
      for (std::size_t i = 0; i < count; ++i) {
        const auto car = values(i);
        double x = position[i];
        double v = speed[i];
        move((push[i] - 1) * car[force] + slope[i] * -car[gravity], x, v);
        terminated[begin + i] = x >= goal && v >= 0;
        position[i] = x;
        speed[i] = v;
      }
    });
  }

 private:
  DrawnParameters car_;
};

template <class Car>
EnvFactory maker(const std::vector<Parameter>& parameters) {
  return [parameters](Params& params) { return std::make_unique<Car>(read_physics(parameters, params, 2)); };
}

}  // namespace

EnvEntry continuous_mountain_car_entry() {
  const auto parameters = car_parameters(nominal_continuous);
  return {"continuous-mountain-car", "drive an underpowered car up a hill (Gymnasium MountainCarContinuous-v0)", "",
          maker<ContinuousMountainCar>(parameters), parameters};
}

EnvEntry mountain_car_entry() {
  const auto parameters = car_parameters(nominal_discrete);
  return {"mountain-car", "the same with three pushes: left, none, right (Gymnasium MountainCar-v0)", "",
          maker<MountainCar>(parameters), parameters};
}

}  // namespace mercer

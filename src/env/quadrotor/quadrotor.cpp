#include <algorithm>
#include <cmath>

#include "env/classic/tasks.hpp"
#include "env/quadrotor/task.hpp"

namespace mercer {
namespace {

constexpr int substeps = 2;
constexpr double hover_thrust = nominal_craft[CraftValue::mass] * nominal_craft[CraftValue::gravity] / 4;

double norm(double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }

double clip(double value, double limit) { return std::min(std::max(value, -limit), limit); }

// From 0 to 1, with half of it at `scale`, and steepest at 0.
double squash(double size, double scale) { return size / (size + scale); }

class Quadrotor final : public Env {
 public:
  Quadrotor(FlightGoal goal, AttitudeForm attitude, DrawnParameters craft)
      : Env(quadrotor_task(goal, attitude, craft)), goal_(goal), attitude_(attitude), craft_(std::move(craft)) {}

  void reset(const Draws& draws, MatrixView<double> state) const override {
    constexpr std::array<double, target_row> width{0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0, 0.1, 0.1, 0.1, 0.5, 0.5, 0.5};
    for (std::uint32_t d = 0; d < thrust_row; ++d) draws.fill_uniform(state.row(d), -width[d], width[d], d);
    for (std::size_t d = thrust_row; d < target_row; ++d) std::ranges::fill(state.row(d), hover_thrust);
    for (std::size_t i = 0; i < state.cols(); ++i) {
      // (1, a, b, c) is a turn by twice the arctangent of the length of (a, b, c).
      double square = 1;
      for (std::size_t d = 1; d < 4; ++d) square += state(attitude_row + d, i) * state(attitude_row + d, i);
      state(attitude_row, i) = 1;
      for (std::size_t d = 0; d < 4; ++d) state(attitude_row + d, i) /= std::sqrt(square);
    }
    if (goal_ == FlightGoal::waypoints) {
      for (std::size_t d = 0; d < 3; ++d) {
        draws.fill_uniform(state.row(target_row + d), -target_box, target_box, thrust_row + static_cast<unsigned>(d));
      }
      std::ranges::fill(state.row(leg_row), 0.0);
    }
    craft_.draw(draws, state);
  }

  // Sensors saturate: only the state that ends an episode lies outside the space.
  void observe(MatrixView<const double> state, MatrixView<double> observation) const override {
    const double far = task().observation.axes[0].range.high;
    const std::size_t rates = observation.rows() - 3;
    for (std::size_t i = 0; i < state.cols(); ++i) {
      for (std::size_t d = 0; d < 3; ++d) {
        const double target = goal_ == FlightGoal::hover ? 0 : state(target_row + d, i);
        observation(d, i) = clip(state(d, i) - target, far);
        observation(velocity_row + d, i) = clip(state(velocity_row + d, i), max_speed);
        observation(rates + d, i) = clip(state(rates_row + d, i), max_rate);
      }
      observe_attitude(state, observation, i);
    }
  }

  void step(MatrixView<double> state, MatrixView<const double> action, const Draws& draws, std::span<double> reward,
            std::span<std::uint8_t> terminated) const override {
    craft_.for_each_chunk<nominal_craft>(state, [&](auto values, std::size_t begin, MatrixView<double> chunk) {
      step_chunk(values, chunk, action.columns(begin, chunk.cols()), reward.subspan(begin), terminated.subspan(begin));
    });
    if (goal_ == FlightGoal::waypoints) move_targets(state, draws);
  }

  Figure figure(std::span<const double> state) const override {
    return goal_ == FlightGoal::hover
               ? craft_figure(state, {})
               : craft_figure(state, {state[target_row], state[target_row + 1], state[target_row + 2]});
  }

 private:
  void observe_attitude(MatrixView<const double> state, MatrixView<double> observation, std::size_t i) const {
    std::array<double, 4> q;
    for (std::size_t d = 0; d < 4; ++d) q[d] = state(attitude_row + d, i);
    const auto write = [&](const auto& numbers) {
      for (std::size_t d = 0; d < numbers.size(); ++d) observation(attitude_row + d, i) = clip(numbers[d], 1);
    };
    if (attitude_ == AttitudeForm::quaternion) {
      write(q);
    } else {
      write(rotation(q[0], q[1], q[2], q[3]));
    }
  }

  template <class Values>
  void step_chunk(Values values, MatrixView<double> state, MatrixView<const double> action, std::span<double> reward,
                  std::span<std::uint8_t> terminated) const {
    for (std::size_t begin = 0; begin < state.cols(); begin += crafts) {
      const std::size_t count = std::min(crafts, state.cols() - begin);
      const auto block_values = [&](std::size_t i) { return values(begin + i); };
      step_block(block_values, state.columns(begin, count), action.columns(begin, count), reward.subspan(begin, count),
                 terminated.subspan(begin, count));
    }
  }

  template <class Values>
  void step_block(Values values, MatrixView<double> state, MatrixView<const double> action, std::span<double> reward,
                  std::span<std::uint8_t> terminated) const {
    constexpr double h = control_period / substeps;
    const std::size_t count = state.cols();
    Crafts craft;
    Crafts::Row most;  // thrust of a rotor
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = values(i);
      most[i] = full_thrust * value[CraftValue::thrust];
      craft.lift[i] = 1 / value[CraftValue::mass];
      craft.slowing[i] = value[CraftValue::drag] / value[CraftValue::mass];
      craft.gravity[i] = value[CraftValue::gravity];
      const double lever = value[CraftValue::arm] * sqrt_half / value[CraftValue::inertia];
      craft.roll[i] = lever / inertia_x;
      craft.pitch[i] = lever / inertia_y;
      craft.yaw[i] = torque_of_thrust / (value[CraftValue::inertia] * inertia_z);
      craft.decay[i] = std::exp(-h / (2 * value[CraftValue::motor_lag]));
    }
    Motion motion;
    Thrusts f;
    Thrusts command;
    Crafts::Row unrest{};  // how far rotors are from their commands, as a mean square in [0, 1]
    for (std::size_t d = 0; d < motion.size(); ++d) std::ranges::copy(state.row(d), motion[d].begin());
    for (std::size_t d = 0; d < rotors; ++d) {
      std::ranges::copy(state.row(thrust_row + d), f[d].begin());
      for (std::size_t i = 0; i < count; ++i) {
        command[d][i] = most[i] * (0.5 * (1 + clip(action(d, i), 1)));
        const double off = (command[d][i] - f[d][i]) / most[i];
        unrest[i] += 0.25 * std::min(off * off, 1.0);
      }
    }
    for (int s = 0; s < substeps; ++s) advance(craft, count, h, command, motion, f);
    for (std::size_t d = 0; d < motion.size(); ++d) std::copy_n(motion[d].begin(), count, state.row(d).begin());
    for (std::size_t d = 0; d < rotors; ++d) std::copy_n(f[d].begin(), count, state.row(thrust_row + d).begin());
    judge(state, motion, unrest, reward, terminated);
  }

  void judge(MatrixView<const double> state, const Motion& motion, const Crafts::Row& unrest, std::span<double> reward,
             std::span<std::uint8_t> terminated) const {
    CraftBlock<3> off;
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < state.cols(); ++i) {
        off[d][i] = motion[d][i] - (goal_ == FlightGoal::hover ? 0 : state(target_row + d, i));
      }
    }
    for (std::size_t i = 0; i < state.cols(); ++i) {
      const double distance = norm(off[0][i], off[1][i], off[2][i]);
      const double speed = norm(motion[3][i], motion[4][i], motion[5][i]);
      const double rate = norm(motion[10][i], motion[11][i], motion[12][i]);
      const double turned = 1 - motion[attitude_row][i] * motion[attitude_row][i];
      const double cost = 0.6 * squash(distance, 0.25) + 0.1 * squash(speed, 1) + 0.1 * squash(rate, 4) + 0.1 * turned +
                          0.1 * unrest[i];
      reward[i] = 1 - std::min(std::max(cost, 0.0), 1.0);
      terminated[i] = in_flight(motion, i) ? StepEnd::none : StepEnd::task;
    }
  }

  static bool in_flight(const Motion& motion, std::size_t i) {
    const auto within = [&](std::size_t row, double limit) {
      return std::max({std::abs(motion[row][i]), std::abs(motion[row + 1][i]), std::abs(motion[row + 2][i])}) <= limit;
    };
    const double upright = 1 - 2 * (motion[7][i] * motion[7][i] + motion[8][i] * motion[8][i]);
    return within(0, room) && within(velocity_row, max_speed) && within(rates_row, max_rate) && upright > 0;
  }

  void move_targets(MatrixView<double> state, const Draws& draws) const {
    for (std::size_t i = 0; i < state.cols(); ++i) {
      state(leg_row, i) += 1;
      if (state(leg_row, i) < leg_steps) continue;
      state(leg_row, i) = 0;
      Random random = draws.random(i);
      for (std::size_t d = 0; d < 3; ++d) state(target_row + d, i) = target_box * (2 * random.uniform() - 1);
    }
  }

  FlightGoal goal_;
  AttitudeForm attitude_;
  DrawnParameters craft_;
};

}  // namespace

EnvEntry quadrotor_entry() {
  return {
      "quadrotor", "fly a Crazyflie to a point and hover there, or from point to point", "goal=hover,attitude=matrix",
      [](Params& params) {
        const auto goal = parse<FlightGoal>(params.text("goal", "hover"));
        const auto attitude = parse<AttitudeForm>(params.text("attitude", "matrix"));
        return std::make_unique<Quadrotor>(goal, attitude, read_physics(craft_parameters(), params, state_rows(goal)));
      },
      craft_parameters()};
}

}  // namespace mercer

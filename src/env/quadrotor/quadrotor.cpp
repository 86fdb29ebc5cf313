#include <algorithm>
#include <cmath>

#include "env/drawn.hpp"
#include "env/quadrotor/craft.hpp"
#include "mercer/names.hpp"

namespace mercer {
namespace {

enum class Goal { hover, waypoints };
enum class Attitude { matrix, quaternion };

}  // namespace

template <>
struct Names<Goal> {
  static constexpr std::string_view kind = "goal of task 'quadrotor'";
  static constexpr Spelling<Goal> table[] = {{Goal::hover, "hover"}, {Goal::waypoints, "waypoints"}};
};
template <>
struct Names<Attitude> {
  static constexpr std::string_view kind = "attitude of task 'quadrotor'";
  static constexpr Spelling<Attitude> table[] = {{Attitude::matrix, "matrix"}, {Attitude::quaternion, "quaternion"}};
};

namespace {

enum : std::size_t { mass, inertia, arm, thrust, motor_lag, drag, gravity };
constexpr std::array nominal_craft{0.028, 1.0, 0.046, 1.0, 0.0375, 0.007, 9.81};

std::vector<Parameter> craft_parameters() {
  return {{"mass", "kg", nominal_craft[mass], {0.014, 0.056}},
          {"inertia", "factor of all moments of inertia", nominal_craft[inertia], {0.3, 3}},
          {"arm", "distance of the rotors from the centre, m", nominal_craft[arm], {0.02, 0.1}},
          {"thrust", "factor of the thrust of all rotors", nominal_craft[thrust], {0.3, 2}},
          {"motor_lag", "time constant of the rotors, s", nominal_craft[motor_lag], {0.001, 0.5}},
          {"drag", "air drag, N s/m", nominal_craft[drag], {0, 0.1}},
          {"gravity", "m/s^2", nominal_craft[gravity], {0, 30}}};
}

// Crazyflie 2.0; sources in docs/guide/tasks.md.
constexpr double torque_of_thrust = 0.00596;
constexpr double full_thrust = 0.16;
constexpr double hover_thrust = nominal_craft[mass] * nominal_craft[gravity] / 4;
constexpr double sqrt_half = 0.70710678118654752;

constexpr double dt = 0.01;
constexpr int substeps = 2;
constexpr double room = 2;        // m, to each side of the origin
constexpr double max_speed = 5;   // m/s along each axis
constexpr double max_rate = 35;   // rad/s: 2000 degrees a second, the range of the gyroscope
constexpr double target_box = 1;  // m
constexpr double leg_steps = 200;

constexpr std::size_t target_row = thrust_row + rotors;
constexpr std::size_t leg_row = target_row + 3;

std::size_t own_rows(Goal goal) { return goal == Goal::hover ? target_row : leg_row + 1; }

std::vector<Axis> attitude_axes() { return {{"qw", {-1, 1}}, {"qx", {-1, 1}}, {"qy", {-1, 1}}, {"qz", {-1, 1}}}; }

std::vector<Axis> rate_axes() {
  return {{"roll_rate", {-max_rate, max_rate}, "rad/s"},
          {"pitch_rate", {-max_rate, max_rate}, "rad/s"},
          {"yaw_rate", {-max_rate, max_rate}, "rad/s"}};
}

void append(std::vector<Axis>& axes, std::vector<Axis> more) { std::ranges::move(more, std::back_inserter(axes)); }

Space state_space(Goal goal, double most_thrust) {
  std::vector<Axis> axes{{"x", {-room, room}, "m"},
                         {"y", {-room, room}, "m"},
                         {"z", {-room, room}, "m"},
                         {"vx", {-max_speed, max_speed}, "m/s"},
                         {"vy", {-max_speed, max_speed}, "m/s"},
                         {"vz", {-max_speed, max_speed}, "m/s"}};
  append(axes, attitude_axes());
  append(axes, rate_axes());
  for (const char* name : {"thrust_1", "thrust_2", "thrust_3", "thrust_4"}) {
    axes.push_back({name, {0, most_thrust}, "N"});
  }
  if (goal == Goal::waypoints) {
    for (const char* name : {"target_x", "target_y", "target_z"}) {
      axes.push_back({name, {-target_box, target_box}, "m"});
    }
    axes.push_back({"leg_step", {0, leg_steps - 1}});
  }
  return Space::box(std::move(axes));
}

Space observation_space(Goal goal, Attitude attitude) {
  const double far = goal == Goal::hover ? room : room + target_box;
  std::vector<Axis> axes{{"x_error", {-far, far}, "m"},
                         {"y_error", {-far, far}, "m"},
                         {"z_error", {-far, far}, "m"},
                         {"vx_error", {-max_speed, max_speed}, "m/s"},
                         {"vy_error", {-max_speed, max_speed}, "m/s"},
                         {"vz_error", {-max_speed, max_speed}, "m/s"}};
  if (attitude == Attitude::quaternion) append(axes, attitude_axes());
  if (attitude == Attitude::matrix) {
    for (const char* name : {"r11", "r12", "r13", "r21", "r22", "r23", "r31", "r32", "r33"}) {
      axes.push_back({name, {-1, 1}});
    }
  }
  append(axes, rate_axes());
  return Space::box(std::move(axes));
}

Space action_space() {
  return Space::box({{"rotor_1", {-1, 1}}, {"rotor_2", {-1, 1}}, {"rotor_3", {-1, 1}}, {"rotor_4", {-1, 1}}});
}

Task quadrotor_task(Goal goal, Attitude attitude, const DrawnParameters& craft) {
  const double most_thrust = full_thrust * std::max(1.0, craft.range(thrust).high);
  return {"quadrotor",
          craft.extended(state_space(goal, most_thrust)),
          observation_space(goal, attitude),
          action_space(),
          {0, 1},
          goal == Goal::hover ? 500U : 1000U,
          0.99,
          dt,
          Ending::failure};
}

double norm(double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); }

double clip(double value, double limit) { return std::min(std::max(value, -limit), limit); }

// From 0 to 1, with half of it at `scale`, and steepest at 0.
double squash(double size, double scale) { return size / (size + scale); }

class Quadrotor final : public Env {
 public:
  Quadrotor(Goal goal, Attitude attitude, DrawnParameters craft)
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
    if (goal_ == Goal::waypoints) {
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
        const double target = goal_ == Goal::hover ? 0 : state(target_row + d, i);
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
    if (goal_ == Goal::waypoints) move_targets(state, draws);
  }

  Figure figure(std::span<const double> state) const override;

 private:
  void observe_attitude(MatrixView<const double> state, MatrixView<double> observation, std::size_t i) const {
    const double w = state(attitude_row, i);
    const double x = state(attitude_row + 1, i);
    const double y = state(attitude_row + 2, i);
    const double z = state(attitude_row + 3, i);
    const auto write = [&](const auto& numbers) {
      for (std::size_t d = 0; d < numbers.size(); ++d) observation(attitude_row + d, i) = clip(numbers[d], 1);
    };
    if (attitude_ == Attitude::quaternion) return write(std::array{w, x, y, z});
    write(std::array{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),  //
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)});
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
    constexpr double h = dt / substeps;
    const std::size_t count = state.cols();
    Crafts craft;
    Crafts::Row most;  // thrust of a rotor
    for (std::size_t i = 0; i < count; ++i) {
      const auto value = values(i);
      most[i] = full_thrust * value[thrust];
      craft.lift[i] = 1 / value[mass];
      craft.slowing[i] = value[drag] / value[mass];
      craft.gravity[i] = value[gravity];
      const double lever = value[arm] * sqrt_half / value[inertia];
      craft.roll[i] = lever / inertia_x;
      craft.pitch[i] = lever / inertia_y;
      craft.yaw[i] = torque_of_thrust / (value[inertia] * inertia_z);
      craft.decay[i] = std::exp(-h / (2 * value[motor_lag]));
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
        off[d][i] = motion[d][i] - (goal_ == Goal::hover ? 0 : state(target_row + d, i));
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

  Goal goal_;
  Attitude attitude_;
  DrawnParameters craft_;
};

// Three times as large as it flies, to be seen in a room of metres.
Figure Quadrotor::figure(std::span<const double> state) const {
  constexpr double reach = 3 * nominal_craft[arm] * sqrt_half;
  constexpr double blade = reach / 2;
  const double w = state[6], x = state[7], y = state[8], z = state[9];
  const auto at = [&](double forward, double left) {
    return std::array{state[0] + forward * (1 - 2 * (y * y + z * z)) + left * 2 * (x * y - w * z),
                      state[1] + forward * 2 * (x * y + w * z) + left * (1 - 2 * (x * x + z * z)),
                      state[2] + forward * 2 * (x * z - w * y) + left * 2 * (y * z + w * x)};
  };
  Figure out{{}, {Viewpoint::side, Viewpoint::above}};
  for (const double side : {-1.0, 1.0}) {
    out.sticks.push_back({at(reach, side * reach), at(-reach, -side * reach), 0.01});
  }
  for (const double forward : {-reach, reach}) {
    for (const double left : {-reach, reach}) {
      // Blades point along x and y of the body in turn, so that both views show them.
      out.sticks.push_back({at(forward - blade, left), at(forward + blade, left), 0.005});
      out.sticks.push_back({at(forward, left - blade), at(forward, left + blade), 0.005});
    }
  }
  for (std::size_t d = 0; d < 3; ++d) {
    Stick cross{{}, {}, 0.005, true};
    for (std::size_t k = 0; k < 3; ++k) {
      const double target = goal_ == Goal::hover ? 0 : state[target_row + k];
      cross.from[k] = target - (k == d ? 0.05 : 0);
      cross.to[k] = target + (k == d ? 0.05 : 0);
    }
    out.sticks.push_back(cross);
  }
  return out;
}

}  // namespace

EnvEntry quadrotor_entry() {
  return {
      "quadrotor", "fly a Crazyflie to a point and hover there, or from point to point", "goal=hover,attitude=matrix",
      [](Params& params) {
        const auto goal = parse<Goal>(params.text("goal", "hover"));
        const auto attitude = parse<Attitude>(params.text("attitude", "matrix"));
        return std::make_unique<Quadrotor>(goal, attitude, read_physics(craft_parameters(), params, own_rows(goal)));
      },
      craft_parameters()};
}

}  // namespace mercer

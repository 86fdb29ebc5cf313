#include "env/quadrotor/task.hpp"

#include <algorithm>

namespace mercer {

std::vector<Parameter> craft_parameters() {
  return {{"mass", "kg", nominal_craft[CraftValue::mass], {0.014, 0.056}},
          {"inertia", "factor of all moments of inertia", nominal_craft[CraftValue::inertia], {0.3, 3}},
          {"arm", "distance of the rotors from the centre, m", nominal_craft[CraftValue::arm], {0.02, 0.1}},
          {"thrust", "factor of the thrust of all rotors", nominal_craft[CraftValue::thrust], {0.3, 2}},
          {"motor_lag", "time constant of the rotors, s", nominal_craft[CraftValue::motor_lag], {0.001, 0.5}},
          {"drag", "air drag, N s/m", nominal_craft[CraftValue::drag], {0, 0.1}},
          {"gravity", "m/s^2", nominal_craft[CraftValue::gravity], {0, 30}}};
}

namespace {

std::vector<Axis> attitude_axes() { return {{"qw", {-1, 1}}, {"qx", {-1, 1}}, {"qy", {-1, 1}}, {"qz", {-1, 1}}}; }

std::vector<Axis> rate_axes() {
  return {{"roll_rate", {-max_rate, max_rate}, "rad/s"},
          {"pitch_rate", {-max_rate, max_rate}, "rad/s"},
          {"yaw_rate", {-max_rate, max_rate}, "rad/s"}};
}

void append(std::vector<Axis>& axes, std::vector<Axis> more) { std::ranges::move(more, std::back_inserter(axes)); }

Space state_space(FlightGoal goal, double most_thrust) {
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
  if (goal == FlightGoal::waypoints) {
    for (const char* name : {"target_x", "target_y", "target_z"}) {
      axes.push_back({name, {-target_box, target_box}, "m"});
    }
    axes.push_back({"leg_step", {0, leg_steps - 1}});
  }
  return Space::box(std::move(axes));
}

Space observation_space(FlightGoal goal, AttitudeForm attitude) {
  const double far = goal == FlightGoal::hover ? room : room + target_box;
  std::vector<Axis> axes{{"x_error", {-far, far}, "m"},
                         {"y_error", {-far, far}, "m"},
                         {"z_error", {-far, far}, "m"},
                         {"vx_error", {-max_speed, max_speed}, "m/s"},
                         {"vy_error", {-max_speed, max_speed}, "m/s"},
                         {"vz_error", {-max_speed, max_speed}, "m/s"}};
  if (attitude == AttitudeForm::quaternion) append(axes, attitude_axes());
  if (attitude == AttitudeForm::matrix) {
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

}  // namespace

Task quadrotor_task(FlightGoal goal, AttitudeForm attitude, const DrawnParameters& craft) {
  const double most_thrust = full_thrust * std::max(1.0, craft.range(CraftValue::thrust).high);
  return {"quadrotor",
          craft.extended(state_space(goal, most_thrust)),
          observation_space(goal, attitude),
          action_space(),
          {0, 1},
          goal == FlightGoal::hover ? 500U : 1000U,
          0.99,
          control_period,
          Ending::failure};
}

}  // namespace mercer

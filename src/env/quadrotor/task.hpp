#pragma once

#include <array>
#include <span>
#include <vector>

#include "env/drawn.hpp"
#include "env/quadrotor/craft.hpp"
#include "mercer/env.hpp"
#include "mercer/names.hpp"

namespace mercer {

enum class FlightGoal {
  hover,      ///< at the origin
  waypoints,  ///< at targets that are drawn one after the other
};
template <>
struct Names<FlightGoal> {
  static constexpr std::string_view kind = "goal of task 'quadrotor'";
  static constexpr Spelling<FlightGoal> table[] = {{FlightGoal::hover, "hover"}, {FlightGoal::waypoints, "waypoints"}};
};

/// How an observation shows where the body axes point.
enum class AttitudeForm { matrix, quaternion };
template <>
struct Names<AttitudeForm> {
  static constexpr std::string_view kind = "attitude of task 'quadrotor'";
  static constexpr Spelling<AttitudeForm> table[] = {{AttitudeForm::matrix, "matrix"},
                                                     {AttitudeForm::quaternion, "quaternion"}};
};

inline constexpr double sqrt_half = 0.70710678118654752;

/// Numbers of the parameters of the craft, and their nominal values: a Crazyflie 2.0, with sources in
/// docs/guide/tasks.md.
struct CraftValue {
  enum : std::size_t { mass, inertia, arm, thrust, motor_lag, drag, gravity };
};
inline constexpr std::array nominal_craft{0.028, 1.0, 0.046, 1.0, 0.0375, 0.007, 9.81};
inline constexpr double full_thrust = 0.16;          ///< of a rotor, N
inline constexpr double torque_of_thrust = 0.00596;  ///< about z, m
std::vector<Parameter> craft_parameters();

/// Where an episode goes on, along each axis: m from the origin, m/s, and rad/s, the range of the gyroscope.
inline constexpr double room = 2;
inline constexpr double max_speed = 5;
inline constexpr double max_rate = 35;
/// Targets lie within this many metres of the origin along each axis, and stay for so many steps.
inline constexpr double target_box = 1;
inline constexpr double leg_steps = 200;

/// Rows of a state with waypoints, behind those of craft.hpp: the target, and for how many steps it has been there.
inline constexpr std::size_t target_row = thrust_row + rotors;
inline constexpr std::size_t leg_row = target_row + 3;
inline std::size_t state_rows(FlightGoal goal) { return goal == FlightGoal::hover ? target_row : leg_row + 1; }

inline constexpr double control_period = 0.01;  ///< seconds a step
Task quadrotor_task(FlightGoal goal, AttitudeForm attitude, const DrawnParameters& craft);

/// Two crossed arms with rotors, and a cross for the target.
Figure craft_figure(std::span<const double> state, const std::array<double, 3>& target);

}  // namespace mercer

#pragma once

#include <array>
#include <cstddef>

#include "env/runge_kutta.hpp"

namespace mercer {

// A quadrotor as a rigid body. World frame: z up. Body frame: x forward, y left, z up. Rotors as on a Crazyflie: 1
// front right, 2 back right, 3 back left, 4 front left; 1 and 3 turn counterclockwise seen from above, so that they
// push the body clockwise.

/// Columns that are moved together: their scratch space fits into the first-level cache.
inline constexpr std::size_t crafts = 32;
template <std::size_t rows>
using CraftBlock = Block<rows, crafts>;

/// Rows of a state: position (m), velocity (m/s), attitude (unit quaternion w, x, y, z from body to world), body rates
/// (rad/s), thrust of each rotor (N).
inline constexpr std::size_t velocity_row = 3;
inline constexpr std::size_t attitude_row = 6;
inline constexpr std::size_t rates_row = 10;
inline constexpr std::size_t thrust_row = 13;
inline constexpr std::size_t rotors = 4;
using Motion = CraftBlock<thrust_row>;
using Thrusts = CraftBlock<rotors>;

/// What the motion of each column depends on, as rows.
struct Crafts {
  using Row = std::array<double, crafts>;
  Row lift;     ///< acceleration per thrust, 1/kg
  Row slowing;  ///< drag over mass, 1/s
  Row gravity;  ///< m/s^2
  Row roll;     ///< angular acceleration about each axis per thrust, rad/s^2/N
  Row pitch;
  Row yaw;
  Row decay;  ///< share of the distance to the command that is left after half a Runge-Kutta step
};

/// Moments of inertia about the axes of the body, kg m^2. A factor of all of them does not change their ratios.
inline constexpr double inertia_x = 16.6e-6;
inline constexpr double inertia_y = 16.6e-6;
inline constexpr double inertia_z = 29.3e-6;

/// The matrix of a unit quaternion, from body to world, row by row.
inline std::array<double, 9> rotation(double w, double x, double y, double z) {
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),  //
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),  //
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}

/// Moves `count` columns on by `h` seconds:
///   m v' = R (0, 0, sum f) - m g (0, 0, 1) - drag v,  q' = q (0, w) / 2,  I w' = torques - w x I w,
/// by a Runge-Kutta step, while thrusts approach `command` as f' = (command - f) / lag, which is solved exactly.
void advance(const Crafts& craft, std::size_t count, double h, const Thrusts& command, Motion& motion, Thrusts& f);

}  // namespace mercer

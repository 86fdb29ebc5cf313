#pragma once

#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace mercer {

/// A cascaded controller for `quadrotor`: position errors ask for an acceleration, which asks for a direction of the
/// thrust, which asks for torques. It sees the 18 observations and knows the nominal craft.
inline std::vector<double> hover_action(std::span<const double> seen) {
  constexpr double mass = 0.028, gravity = 9.81, lever = 0.046 / 1.4142135623730951, torque = 0.00596, full = 0.16;
  constexpr std::array inertia{16.6e-6, 16.6e-6, 29.3e-6};
  const auto R = [&](std::size_t row, std::size_t column) { return seen[6 + 3 * row + column]; };
  std::array<double, 3> pull{};  // wanted acceleration besides gravity
  for (std::size_t d = 0; d < 3; ++d) pull[d] = -6 * seen[d] - 4 * seen[3 + d];
  pull[2] += gravity;
  const double size = std::hypot(pull[0], pull[1], pull[2]);
  std::array<double, 3> wanted{};  // the same direction, seen from the body
  for (std::size_t d = 0; d < 3; ++d) wanted[d] = (R(0, d) * pull[0] + R(1, d) * pull[1] + R(2, d) * pull[2]) / size;
  const double heading = std::atan2(R(1, 0), R(0, 0));
  const double total = mass * size * wanted[2];
  const double roll = inertia[0] * (-120 * wanted[1] - 18 * seen[15]) / lever;
  const double pitch = inertia[1] * (120 * wanted[0] - 18 * seen[16]) / lever;
  const double yaw = inertia[2] * (-10 * heading - 6 * seen[17]) / torque;
  const std::array thrust{total - roll - pitch - yaw, total - roll + pitch + yaw, total + roll + pitch - yaw,
                          total + roll - pitch + yaw};
  std::vector<double> action;
  for (const double four : thrust) action.push_back(2 * (four / 4) / full - 1);
  return action;
}

}  // namespace mercer

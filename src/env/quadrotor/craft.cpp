#include "env/quadrotor/craft.hpp"

#include <cmath>

namespace mercer {
namespace {

void slope(const Crafts& craft, std::size_t count, const Motion& now, const Thrusts& f, Motion& out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double w = now[6][i], x = now[7][i], y = now[8][i], z = now[9][i];
    const double p = now[10][i], q = now[11][i], r = now[12][i];
    const double lift = craft.lift[i] * ((f[0][i] + f[1][i]) + (f[2][i] + f[3][i]));
    for (std::size_t d = 0; d < 3; ++d) out[d][i] = now[velocity_row + d][i];
    out[3][i] = lift * (2 * (x * z + w * y)) - craft.slowing[i] * now[3][i];
    out[4][i] = lift * (2 * (y * z - w * x)) - craft.slowing[i] * now[4][i];
    out[5][i] = lift * (1 - 2 * (x * x + y * y)) - craft.slowing[i] * now[5][i] - craft.gravity[i];
    out[6][i] = -0.5 * (x * p + y * q + z * r);
    out[7][i] = 0.5 * (w * p + y * r - z * q);
    out[8][i] = 0.5 * (w * q + z * p - x * r);
    out[9][i] = 0.5 * (w * r + x * q - y * p);
    const double rolling = craft.roll[i] * ((f[2][i] + f[3][i]) - (f[0][i] + f[1][i]));
    const double pitching = craft.pitch[i] * ((f[1][i] + f[2][i]) - (f[0][i] + f[3][i]));
    const double yawing = craft.yaw[i] * ((f[1][i] + f[3][i]) - (f[0][i] + f[2][i]));
    out[10][i] = rolling - (inertia_z - inertia_y) / inertia_x * (q * r);
    out[11][i] = pitching - (inertia_x - inertia_z) / inertia_y * (r * p);
    out[12][i] = yawing - (inertia_y - inertia_x) / inertia_z * (p * q);
  }
}

// Rounding and steps of finite length lead away from length 1.
void normalise_attitude(std::size_t count, Motion& motion) {
  for (std::size_t i = 0; i < count; ++i) {
    double square = 0;
    for (std::size_t d = attitude_row; d < rates_row; ++d) square += motion[d][i] * motion[d][i];
    const double scale = 1 / std::sqrt(square);
    for (std::size_t d = attitude_row; d < rates_row; ++d) motion[d][i] *= scale;
  }
}

}  // namespace

void advance(const Crafts& craft, std::size_t count, double h, const Thrusts& command, Motion& motion, Thrusts& f) {
  Thrusts middle;
  Thrusts end;
  for (std::size_t d = 0; d < rotors; ++d) {
    for (std::size_t i = 0; i < count; ++i) {
      middle[d][i] = command[d][i] + (f[d][i] - command[d][i]) * craft.decay[i];
      end[d][i] = command[d][i] + (middle[d][i] - command[d][i]) * craft.decay[i];
    }
  }
  runge_kutta(motion, count, h, [&](const Motion& at, std::size_t halves, Motion& out) {
    slope(craft, count, at, halves == 0 ? f : halves == 1 ? middle : end, out);
  });
  normalise_attitude(count, motion);
  f = end;
}

}  // namespace mercer

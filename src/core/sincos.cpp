#include "core/sincos.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace mercer {
namespace {

constexpr double reducible = 1e6;  // beyond, n pi/2 below is no longer exact

// x = n pi/2 + r with |r| <= pi/4. pi/2 is split in three parts, the first two of 33 bits, so that n times each is
// exact. Taylor series to r^17 and r^16 leave 1e-19. No branches: a loop over this becomes vector code.
inline void sincos_reduced(double x, double& sine, double& cosine) {
  constexpr double round_to_integer = 0x1.8p52;  // adding it moves the nearest integer into the low bits
  const double shifted = x * 0x1.45f306dc9c883p-1 + round_to_integer;
  const double n = shifted - round_to_integer;
  const std::int64_t quadrant = std::bit_cast<std::int64_t>(shifted);
  const double r = ((x - n * 0x1.921fb544p+0) - n * 0x1.0b4611a6p-34) - n * 0x1.3198a2e037073p-69;
  const double r2 = r * r;

  double s = 1.0 / 355687428096000.0;
  s = s * r2 - 1.0 / 1307674368000.0;
  s = s * r2 + 1.0 / 6227020800.0;
  s = s * r2 - 1.0 / 39916800.0;
  s = s * r2 + 1.0 / 362880.0;
  s = s * r2 - 1.0 / 5040.0;
  s = s * r2 + 1.0 / 120.0;
  s = s * r2 - 1.0 / 6.0;
  s = r + r * r2 * s;

  double c = 1.0 / 20922789888000.0;
  c = c * r2 - 1.0 / 87178291200.0;
  c = c * r2 + 1.0 / 479001600.0;
  c = c * r2 - 1.0 / 3628800.0;
  c = c * r2 + 1.0 / 40320.0;
  c = c * r2 - 1.0 / 720.0;
  c = c * r2 + 1.0 / 24.0;
  // 1 - r^2/2 is rounded once; what the rounding lost is added back with the small terms.
  const double half = 0.5 * r2;
  const double one = 1.0 - half;
  c = one + (((1.0 - one) - half) + r2 * r2 * c);

  const bool swapped = (quadrant & 1) != 0;
  const double sin_sign = (quadrant & 2) != 0 ? -1.0 : 1.0;
  const double cos_sign = ((quadrant + 1) & 2) != 0 ? -1.0 : 1.0;
  sine = sin_sign * (swapped ? c : s);
  cosine = cos_sign * (swapped ? s : c);
}

}  // namespace

void sincos(std::span<const double> angle, std::span<double> sine, std::span<double> cosine) {
  assert(sine.size() == angle.size() && cosine.size() == angle.size());
  const double* __restrict x = angle.data();
  double* __restrict s = sine.data();
  double* __restrict c = cosine.data();
  bool all_reducible = true;
  for (std::size_t i = 0; i < angle.size(); ++i) {
    sincos_reduced(x[i], s[i], c[i]);
    all_reducible &= std::abs(x[i]) <= reducible;
  }
  if (all_reducible) return;
  for (std::size_t i = 0; i < angle.size(); ++i) {
    if (std::abs(x[i]) <= reducible) continue;
    s[i] = std::sin(x[i]);
    c[i] = std::cos(x[i]);
  }
}

}  // namespace mercer

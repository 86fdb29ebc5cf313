#include "core/sincos.hpp"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

// Everything here is free of branches, so that loops over it become vector code. Polynomials are minimax fits of the
// Taylor tails: to 4e-18 on [-pi/4, pi/4] and 3e-19 on [-pi/2, pi/2].

namespace mercer {
namespace {

constexpr double reducible = 1e6;  // beyond, n pi/2 below is no longer exact

// Fused where the CPU can, in vector bodies and scalar tails alike; elsewhere a call per number would cost too much.
inline double multiply_add(double a, double b, double c) {
#ifdef __FMA__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

// x - n pi/2 for an integer n: pi/2 in three parts, the first two of 33 bits, so that n times each is exact.
inline double subtract_quarters(double x, double n) {
  const double near = multiply_add(n, -0x1.0b4611a6p-34, multiply_add(n, -0x1.921fb544p+0, x));
  return multiply_add(n, -0x1.3198a2e037073p-69, near);
}

constexpr double round_to_integer = 0x1.8p52;  // adding it moves the nearest integer into the low bits

inline double flip_sign(double value, std::int64_t odd) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) ^ static_cast<std::uint64_t>(odd & 1) << 63);
}

// sin r for |r| <= pi/2.
inline double sine_polynomial(double r) {
  const double z = r * r;
  double p = multiply_add(0x1.8851574104836p-49, z, -0x1.ae44a434b2119p-41);
  p = multiply_add(p, z, 0x1.6123d13eb8fcdp-33);
  p = multiply_add(p, z, -0x1.ae6454e484bf2p-26);
  p = multiply_add(p, z, 0x1.71de3a52c11bap-19);
  p = multiply_add(p, z, -0x1.a01a01a01517ap-13);
  p = multiply_add(p, z, 0x1.11111111110cbp-7);
  p = multiply_add(p, z, -0x1.5555555555555p-3);
  return multiply_add(r * z, p, r);
}

// x = n pi + r: sin x = (-1)^n sin r.
inline double sine_of(double x) {
  const double shifted = multiply_add(x, 0x1.45f306dc9c883p-2, round_to_integer);
  const double n = shifted - round_to_integer;
  return flip_sign(sine_polynomial(subtract_quarters(x, 2 * n)), std::bit_cast<std::int64_t>(shifted));
}

// x = (n + 1/2) pi + r: cos x = (-1)^(n+1) sin r.
inline double cosine_of(double x) {
  const double shifted = multiply_add(x, 0x1.45f306dc9c883p-2, -0.5) + round_to_integer;
  const double n = shifted - round_to_integer;
  const double sine = sine_polynomial(subtract_quarters(x, 2 * n + 1));
  return flip_sign(sine, std::bit_cast<std::int64_t>(shifted) + 1);
}

// x = n pi/2 + r, |r| <= pi/4: sin x and cos x are sin r and cos r, exchanged when n is odd, with signs.
inline void sincos_of(double x, double& sine, double& cosine) {
  const double shifted = multiply_add(x, 0x1.45f306dc9c883p-1, round_to_integer);
  const double n = shifted - round_to_integer;
  const std::int64_t quadrant = std::bit_cast<std::int64_t>(shifted);
  const double r = subtract_quarters(x, n);
  const double z = r * r;

  double s = multiply_add(0x1.5d9300f1362a9p-33, z, -0x1.ae5e663a67d1dp-26);
  s = multiply_add(s, z, 0x1.71de3577b6625p-19);
  s = multiply_add(s, z, -0x1.a01a019c11990p-13);
  s = multiply_add(s, z, 0x1.111111110f87ap-7);
  s = multiply_add(s, z, -0x1.5555555555549p-3);
  s = multiply_add(r * z, s, r);

  double c = multiply_add(-0x1.8fae9c631d504p-37, z, 0x1.1ee9ebe908483p-29);
  c = multiply_add(c, z, -0x1.27e4f809f06c7p-22);
  c = multiply_add(c, z, 0x1.a01a019cb1bd7p-16);
  c = multiply_add(c, z, -0x1.6c16c16c1517ep-10);
  c = multiply_add(c, z, 0x1.555555555554cp-5);
  // 1 - z/2 is rounded once; what the rounding lost is added back with the small terms.
  const double one = multiply_add(z, -0.5, 1.0);
  c = one + multiply_add(z * z, c, multiply_add(z, -0.5, 1.0 - one));

  const bool exchanged = (quadrant & 1) != 0;
  sine = flip_sign(exchanged ? c : s, quadrant >> 1);
  cosine = flip_sign(exchanged ? s : c, (quadrant + 1) >> 1);
}

// The C library for those of the angles that are too large to reduce here: rare, and never a reason for the others to
// be computed differently.
template <class Fix>
void fix_large(std::span<const double> angle, Fix fix) {
  std::int64_t large = 0;
  for (const double x : angle) large += std::abs(x) <= reducible ? 0 : 1;
  for (std::size_t i = 0; large > 0 && i < angle.size(); ++i) {
    if (!(std::abs(angle[i]) <= reducible)) fix(i);
  }
}

}  // namespace

void sincos(std::span<const double> angle, std::span<double> sine, std::span<double> cosine) {
  assert(sine.size() == angle.size() && cosine.size() == angle.size());
  const double* __restrict x = angle.data();
  double* __restrict s = sine.data();
  double* __restrict c = cosine.data();
  for (std::size_t i = 0; i < angle.size(); ++i) {
    double si, ci;
    sincos_of(x[i], si, ci);
    s[i] = si;
    c[i] = ci;
  }
  fix_large(angle, [&](std::size_t i) {
    sine[i] = std::sin(angle[i]);
    cosine[i] = std::cos(angle[i]);
  });
}

void sine(std::span<const double> angle, std::span<double> out) {
  assert(out.size() == angle.size());
  const double* __restrict x = angle.data();
  double* __restrict s = out.data();
  for (std::size_t i = 0; i < angle.size(); ++i) s[i] = sine_of(x[i]);
  fix_large(angle, [&](std::size_t i) { out[i] = std::sin(angle[i]); });
}

void cosine(std::span<const double> angle, std::span<double> out) {
  assert(out.size() == angle.size());
  const double* __restrict x = angle.data();
  double* __restrict c = out.data();
  for (std::size_t i = 0; i < angle.size(); ++i) c[i] = cosine_of(x[i]);
  fix_large(angle, [&](std::size_t i) { out[i] = std::cos(angle[i]); });
}

}  // namespace mercer

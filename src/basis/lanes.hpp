#pragma once

#include <cstddef>
#include <cstdint>

// Eight numbers at once, as the compiler's vectors: one instruction each where the CPU has wide registers, a few where
// it has not. A batch goes through in tiles of eight, the last one padded, so that a column's result is the same
// wherever it stands, and a batch of one costs as much as one of eight.

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // every function here is inlined: how vectors are handed over is no matter
#endif

namespace mercer {

using Lanes = double __attribute__((vector_size(64)));
using LaneBits = std::int64_t __attribute__((vector_size(64)));
inline constexpr std::size_t lane_count = 8;

inline Lanes all_lanes(double value) { return Lanes{} + value; }

inline Lanes choose(LaneBits mask, Lanes yes, Lanes no) {
  return reinterpret_cast<Lanes>((reinterpret_cast<LaneBits>(yes) & mask) |
                                 (reinterpret_cast<LaneBits>(no) & ~mask));
}
/// Not-a-numbers stay what they are.
inline Lanes clamp_lanes(Lanes x, double low, double high) {
  x = choose(x < low, all_lanes(low), x);
  return choose(x > high, all_lanes(high), x);
}

/// exp(x), to 2 units in the last place; x is taken to lie within -700 and 700.
inline Lanes exp_lanes(Lanes x) {
  x = clamp_lanes(x, -700, 700);
  constexpr double shift = 0x1.8p52;  // adding it moves the nearest whole number into the low bits
  const Lanes shifted = x * 0x1.71547652b82fep+0 + shift, n = shifted - shift;
  const Lanes r = (x - n * 0x1.62e42fefp-1) - n * 0x1.473de6af278edp-34;
  // Taylor to the 13th power, in pairs so that the chain of dependent steps is short. |r| <= log(2) / 2.
  const Lanes r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const Lanes a = (1.0 + r) + r2 * (0.5 + r * (1.0 / 6));
  const Lanes b = (1.0 / 24 + r * (1.0 / 120)) + r2 * (1.0 / 720 + r * (1.0 / 5040));
  const Lanes c = (1.0 / 40320 + r * (1.0 / 362880)) + r2 * (1.0 / 3628800 + r * (1.0 / 39916800));
  const Lanes d = 1.0 / 479001600 + r * (1.0 / 6227020800);
  const Lanes p = (a + r4 * b) + r8 * (c + r4 * d);
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(p) + (reinterpret_cast<LaneBits>(shifted) << 52));
}

inline Lanes magnitude(Lanes x) {
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(x) & INT64_MAX);
}

/// tanh(x), to 3e-16 absolutely.
inline Lanes tanh_lanes(Lanes x) {
  const Lanes t = exp_lanes(-2.0 * magnitude(x));
  const Lanes size = (1.0 - t) / (1.0 + t);
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(size) | (reinterpret_cast<LaneBits>(x) & INT64_MIN));
}

/// Square root of what is not negative.
inline Lanes root_lanes(Lanes x) {
  Lanes out = x;
  for (std::size_t i = 0; i < lane_count; ++i) out[i] = __builtin_sqrt(x[i]);
  return out;
}

/// `count` (at most eight) numbers; the lanes after them repeat the first.
inline Lanes load_lanes(const double* from, std::size_t count) {
  Lanes out;
  if (count == lane_count) {
    __builtin_memcpy(&out, from, sizeof out);
    return out;
  }
  out = all_lanes(from[0]);
  for (std::size_t i = 1; i < count; ++i) out[i] = from[i];
  return out;
}
inline void store_lanes(Lanes value, double* to, std::size_t count) {
  if (count == lane_count) {
    __builtin_memcpy(to, &value, sizeof value);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = value[i];
}

}  // namespace mercer

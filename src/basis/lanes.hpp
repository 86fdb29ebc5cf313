#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

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

/// a * b + c, fused where the CPU can: the same way for every lane, so no result depends on its place.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#ifdef __AVX512F__
  return reinterpret_cast<Lanes>(_mm512_fmadd_pd(a, b, c));
#else
  return a * b + c;
#endif
}
inline Lanes fused(Lanes a, double b, Lanes c) { return fused(a, all_lanes(b), c); }
inline Lanes fused(Lanes a, double b, double c) { return fused(a, all_lanes(b), all_lanes(c)); }

/// The larger or smaller of x and a limit; not-a-numbers stay what they are.
inline Lanes at_least(Lanes x, double low) {
#ifdef __AVX512F__
  return reinterpret_cast<Lanes>(_mm512_max_pd(all_lanes(low), x));
#else
  const LaneBits below = x < low;
  return reinterpret_cast<Lanes>((reinterpret_cast<LaneBits>(all_lanes(low)) & below) |
                                 (reinterpret_cast<LaneBits>(x) & ~below));
#endif
}
inline Lanes at_most(Lanes x, double high) { return -at_least(-x, -high); }
inline Lanes clamp_lanes(Lanes x, double low, double high) { return at_most(at_least(x, low), high); }

/// exp(x) for x <= 700, to 2 units in the last place; below -700 as at -700.
inline Lanes exp_lanes(Lanes x) {
  x = at_least(x, -700);
  constexpr double shift = 0x1.8p52;  // adding it moves the nearest whole number into the low bits
  const Lanes shifted = fused(x, 0x1.71547652b82fep+0, shift), n = shifted - shift;
  const Lanes r = fused(n, -0x1.473de6af278edp-34, fused(n, -0x1.62e42fefp-1, x));
  // Taylor to the 13th power, in pairs so that the chain of dependent steps is short. |r| <= log(2) / 2.
  const Lanes r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const Lanes a = fused(r2, fused(r, 1.0 / 6, 0.5), 1.0 + r);
  const Lanes b = fused(r2, fused(r, 1.0 / 5040, 1.0 / 720), fused(r, 1.0 / 120, 1.0 / 24));
  const Lanes c = fused(r2, fused(r, 1.0 / 39916800, 1.0 / 3628800), fused(r, 1.0 / 362880, 1.0 / 40320));
  const Lanes d = fused(r, 1.0 / 6227020800, 1.0 / 479001600);
  const Lanes p = fused(r8, fused(r4, d, c), fused(r4, b, a));
  return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(p) + (reinterpret_cast<LaneBits>(shifted) << 52));
}

inline Lanes magnitude(Lanes x) { return reinterpret_cast<Lanes>(reinterpret_cast<LaneBits>(x) & INT64_MAX); }

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

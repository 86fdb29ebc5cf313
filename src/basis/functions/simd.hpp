#pragma once

#include <cstddef>
#include <cstdint>

#ifdef __AVX512F__
#include <immintrin.h>
#endif

// Eight numbers at once, as the compiler's vectors: one instruction each where the CPU has wide registers, a few where
// it has not. A batch goes through in tiles of eight, the last one padded. Every function here exists for a single
// number, too, and takes the same steps in the same order, each rounded alike: a column's result is the same to the
// last bit wherever it stands, alone or among others (tested).

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"  // every function here is inlined: how vectors are handed over is no matter
#endif

namespace mercer {

using Lanes = double __attribute__((vector_size(64)));
using LaneBits = std::uint64_t __attribute__((vector_size(64)));
inline constexpr std::size_t lane_count = 8;

/// The same number everywhere.
template <class Number>
inline Number all(double value) {
  return Number{} + value;
}

inline LaneBits as_bits(Lanes x) { return reinterpret_cast<LaneBits>(x); }
inline Lanes as_number(LaneBits bits) { return reinterpret_cast<Lanes>(bits); }

/// a * b + c, fused where the CPU can: the same way for every lane, so no result depends on its place.
inline Lanes fused(Lanes a, Lanes b, Lanes c) {
#ifdef __AVX512F__
  return reinterpret_cast<Lanes>(_mm512_fmadd_pd(a, b, c));
#else
  return a * b + c;
#endif
}
inline Lanes fused(Lanes a, double b, Lanes c) { return fused(a, all<Lanes>(b), c); }
inline Lanes fused(Lanes a, double b, double c) { return fused(a, all<Lanes>(b), all<Lanes>(c)); }
inline double fused(double a, double b, double c) {
#ifdef __AVX512F__
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/// The larger or smaller of x and a limit; not-a-numbers stay what they are.
inline Lanes at_least(Lanes x, double low) {
#ifdef __AVX512F__
  return reinterpret_cast<Lanes>(_mm512_max_pd(all<Lanes>(low), x));
#else
  const LaneBits below = reinterpret_cast<LaneBits>(x < low);
  return as_number((as_bits(all<Lanes>(low)) & below) | (as_bits(x) & ~below));
#endif
}
inline double at_least(double x, double low) { return x < low ? low : x; }
inline Lanes at_most(Lanes x, double high) {
#ifdef __AVX512F__
  return reinterpret_cast<Lanes>(_mm512_min_pd(all<Lanes>(high), x));
#else
  return -at_least(-x, -high);
#endif
}
inline double at_most(double x, double high) { return x > high ? high : x; }
template <class Number>
inline Number clamped(Number x, double low, double high) {
  return at_most(at_least(x, low), high);
}

/// x times 2^n, where n stands in the low bits of `low`.
inline Lanes add_exponent(Lanes x, Lanes low) { return as_number(as_bits(x) + (as_bits(low) << 52)); }
inline double add_exponent(double x, double low) {  // as a vector, which stays where the CPU keeps its doubles
  using Pair = double __attribute__((vector_size(16)));
  using PairBits = std::uint64_t __attribute__((vector_size(16)));
  const PairBits bits = reinterpret_cast<PairBits>(Pair{x, x}) + (reinterpret_cast<PairBits>(Pair{low, low}) << 52);
  return reinterpret_cast<Pair>(bits)[0];
}

/// |x|, and `size` (not negative) with the sign of x.
inline double magnitude(double x) { return __builtin_fabs(x); }
inline Lanes magnitude(Lanes x) { return as_number(as_bits(x) & INT64_MAX); }
inline double with_sign(double size, double x) { return __builtin_copysign(size, x); }
inline Lanes with_sign(Lanes size, Lanes x) {
  return as_number(as_bits(size) | (as_bits(x) & ~std::uint64_t{INT64_MAX}));
}

/// exp(times x) for |times x| <= 700, to 2 units in the last place. `times` is a power of two or its
/// negative, so that the product is exact and need not be waited for.
template <class Number>
[[gnu::always_inline]] inline Number exp_of_product(double times, Number x) {
  constexpr double shift = 0x1.8p52;  // adding it moves the nearest integer into the low bits
  const Number shifted = fused(x, times * 0x1.71547652b82fep+0, shift), n = shifted - shift;
  x = times * x;
  const Number r = fused(n, -0x1.473de6af278edp-34, fused(n, -0x1.62e42fefp-1, x));
  // Taylor to the 13th power, in pairs so that the chain of dependent steps is short. |r| <= log(2) / 2.
  const Number r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const Number a = fused(r2, fused(r, 1.0 / 6, 0.5), 1.0 + r);
  const Number b = fused(r2, fused(r, 1.0 / 5040, 1.0 / 720), fused(r, 1.0 / 120, 1.0 / 24));
  const Number c = fused(r2, fused(r, 1.0 / 39916800, 1.0 / 3628800), fused(r, 1.0 / 362880, 1.0 / 40320));
  const Number d = fused(r, 1.0 / 6227020800, 1.0 / 479001600);
  const Number p = fused(r8, fused(r4, d, c), fused(r4, b, a));
  return add_exponent(p, shifted);
}

/// exp(x) for x <= 700; below -700 as at -700.
template <class Number>
inline Number exp_of(Number x) {
  return exp_of_product(1.0, at_least(x, -700));
}

/// tanh(x), to 3e-16 absolutely.
template <class Number>
inline Number tanh_of(Number x) {
  const Number t = exp_of_product(-2.0, at_most(magnitude(x), 350));
  return with_sign((1.0 - t) / (1.0 + t), x);
}

/// Square root of what is not negative.
inline double root_of(double x) { return __builtin_sqrt(x); }
inline Lanes root_of(Lanes x) {
  Lanes out = x;
  for (std::size_t i = 0; i < lane_count; ++i) out[i] = __builtin_sqrt(x[i]);
  return out;
}

/// `count` (one for a single number, else at most eight) numbers; the lanes after them repeat the first.
template <class Number>
inline Number load(const double* from, std::size_t count) {
  Number out;
  if (count * sizeof(double) == sizeof out) {
    __builtin_memcpy(&out, from, sizeof out);
    return out;
  }
  out = all<Number>(from[0]);
  if constexpr (sizeof out > sizeof(double)) {
    for (std::size_t i = 1; i < count; ++i) out[i] = from[i];
  }
  return out;
}
inline void store(double value, double* to, std::size_t) { *to = value; }
inline void store(Lanes value, double* to, std::size_t count) {
  if (count == lane_count) {
    __builtin_memcpy(to, &value, sizeof value);
    return;
  }
  for (std::size_t i = 0; i < count; ++i) to[i] = value[i];
}

}  // namespace mercer

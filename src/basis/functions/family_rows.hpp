#pragma once

#include <array>
#include <cmath>
#include <numbers>

#include "basis/functions/simd.hpp"
#include "core/sincos.hpp"
#include "mercer/functions.hpp"

namespace mercer {

/// What `fill_family` leaves out, so that it is multiplied once for each term and not for each state.
inline double family_norm(Family family, bool periodic, std::size_t index) {
  if (index == 0) return 1;
  if (periodic || family == Family::chebyshev || family == Family::cosine) return std::numbers::sqrt2;
  const auto k = static_cast<double>(index);
  return family == Family::legendre ? std::sqrt(2 * k + 1) : 1 / std::sqrt(std::tgamma(k + 1));
}

// out[k] = 2 x out[k-1] - out[k-2], with two given.
template <class Number>
[[gnu::always_inline]] inline void chebyshev_rows(Number x, std::size_t count, Number* out) {
  const Number twice = 2.0 * x;
  Number before = out[0], last = out[1];  // not read back, which would take longer than to compute the next
  for (std::size_t k = 2; k < count; ++k) {
    const Number next = fused(twice, last, -before);
    out[k] = next;
    before = last;
    last = next;
  }
}

/// Chebyshev polynomials of one coordinate or eight. Writes at least `chebyshev_least` rows, those without a loop.
inline constexpr std::size_t chebyshev_least = 6;
template <class Number>
[[gnu::always_inline]] inline void fill_chebyshev(Number x, std::size_t count, Number* out) {
  const Number twice = 2.0 * x, two = fused(twice, x, all<Number>(-1)), three = fused(twice, two, -x),
               four = fused(twice, three, -two), five = fused(twice, four, -three);
  out[0] = all<Number>(1);
  out[1] = x;
  out[2] = two;
  out[3] = three;
  out[4] = four;
  out[5] = five;
  Number before = four, last = five;
  for (std::size_t k = chebyshev_least; k < count; ++k) {
    out[k] = fused(twice, last, -before);
    before = last;
    last = out[k];
  }
}

/// out[k] = function k, apart from `family_norm`, at one coordinate or eight; k = 0 .. count - 1.
template <class Number>
[[gnu::always_inline]] inline void fill_family(Family family, bool periodic, Number x, std::size_t count, Number* out) {
  constexpr std::size_t together = sizeof(Number) / sizeof(double);
  out[0] = all<Number>(1);
  if (count == 1) return;
  if (periodic || family == Family::cosine) {
    alignas(64) std::array<double, together> angle, sine, cosine;
    const Number turned = x * (periodic ? std::numbers::pi : std::numbers::pi / 2);
    store(turned, angle.data(), together);
    sincos(angle, sine, cosine);
    const Number s = load<Number>(sine.data(), together), c = load<Number>(cosine.data(), together);
    if (periodic) {  // cosines at odd places, sines at even ones
      Number cosines = c, cosines_before = all<Number>(1), sines = s, sines_before = all<Number>(0);
      for (std::size_t k = 1; k < count; k += 2) {
        out[k] = cosines;
        if (k + 1 < count) out[k + 1] = sines;
        const Number next_cosines = 2.0 * c * cosines - cosines_before, next_sines = 2.0 * c * sines - sines_before;
        cosines_before = cosines, cosines = next_cosines;
        sines_before = sines, sines = next_sines;
      }
      return;
    }
    out[1] = -s;  // cos(pi (x + 1) / 2)
    return chebyshev_rows(out[1], count, out);
  }
  if (family == Family::chebyshev) {
    out[1] = x;
    return chebyshev_rows(x, count, out);
  }
  if (family == Family::hermite) x = 3.0 * x;
  out[1] = x;
  for (std::size_t k = 2; k < count; ++k) {
    const auto n = static_cast<double>(k);
    out[k] = family == Family::legendre ? ((2 * n - 1) / n) * x * out[k - 1] - ((n - 1) / n) * out[k - 2]
                                        : x * out[k - 1] - (n - 1) * out[k - 2];
  }
}

}  // namespace mercer

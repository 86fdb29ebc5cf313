#pragma once

#include <string_view>
#include <vector>

#include "mercer/functions.hpp"

namespace mercer {

/// Whether the functions of an axis are sines and cosines; otherwise they are polynomials.
inline bool is_trigonometric(Family family, bool periodic) { return periodic || family == Family::cosine; }

/// A function of a trigonometric axis, apart from its norm: sign * cos(halves * pi / 2 * x), or the sine.
struct PlainWave {
  bool sine = false;
  std::size_t halves = 0;
  int sign = 1;
};
PlainWave plain_wave(bool periodic, std::size_t index);

/// Integer coefficients of rising powers, over a power of two.
struct Polynomial {
  std::vector<double> powers;
  double denominator = 1;
};
/// P_k, T_k or He_k as textbooks have them, k up to 16: exact.
Polynomial plain_polynomial(Family family, std::size_t degree);
/// "P", "T" or "He".
std::string_view polynomial_name(Family family);
/// What a coordinate is multiplied by before it goes into the polynomial.
inline double polynomial_reach(Family family) { return family == Family::hermite ? 3 : 1; }

/// The largest absolute value and the largest slope of function `index`, apart from its norm, for x in [-1, 1].
struct PlainSize {
  double value = 1, slope = 0;
};
PlainSize plain_size(Family family, bool periodic, std::size_t index);

}  // namespace mercer

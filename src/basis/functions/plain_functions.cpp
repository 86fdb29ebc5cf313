#include "basis/functions/plain_functions.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {

PlainWave plain_wave(bool periodic, std::size_t index) {
  if (periodic) return {index % 2 == 0, 2 * frequency(index, true), 1};
  // cos(k pi (x + 1) / 2) without its phase.
  return {index % 2 == 1, index, (index + 1) / 2 % 2 == 1 ? -1 : 1};
}

Polynomial plain_polynomial(Family family, std::size_t degree) {
  Polynomial now{{1}, 1}, before{{}, 1};
  for (std::size_t k = 0; k < degree; ++k) {
    const auto n = static_cast<double>(k);
    // 2^k P_k has integer coefficients: (n + 1) Q_(n+1) = 2 (2 n + 1) x Q_n - 4 n Q_(n-1).
    const bool legendre = family == Family::legendre;
    const double rise = legendre ? 2 * (2 * n + 1) : family == Family::chebyshev && k > 0 ? 2 : 1;
    const double fall = legendre ? 4 * n : family == Family::chebyshev ? 1 : n;
    Polynomial next{std::vector<double>(k + 2), legendre ? 2 * now.denominator : 1};
    for (std::size_t i = 0; i <= k; ++i) next.powers[i + 1] = rise * now.powers[i];
    for (std::size_t i = 0; i < before.powers.size(); ++i) next.powers[i] -= fall * before.powers[i];
    if (legendre) {
      for (double& power : next.powers) power /= n + 1;
    }
    before = std::move(now);
    now = std::move(next);
  }
  while (now.denominator > 1 && std::ranges::all_of(now.powers, [](double p) { return std::fmod(p, 2) == 0; })) {
    for (double& power : now.powers) power /= 2;
    now.denominator /= 2;
  }
  return now;
}

std::string_view polynomial_name(Family family) {
  return family == Family::legendre ? "P" : family == Family::hermite ? "He" : "T";
}

PlainSize plain_size(Family family, bool periodic, std::size_t index) {
  if (index == 0) return {};
  if (is_trigonometric(family, periodic)) {
    return {1, static_cast<double>(plain_wave(periodic, index).halves) * std::numbers::pi / 2};
  }
  constexpr int points = 200;
  const Polynomial polynomial = plain_polynomial(family, index);
  PlainSize size{0, 0};
  for (int i = 0; i <= points; ++i) {
    const double x = polynomial_reach(family) * i / points;  // even or odd: one half says all
    double value = 0, slope = 0;
    for (std::size_t p = polynomial.powers.size(); p-- > 0;) {
      slope = slope * x + value;
      value = value * x + polynomial.powers[p];
    }
    size.value = std::max(size.value, std::abs(value) / polynomial.denominator);
    size.slope = std::max(size.slope, polynomial_reach(family) * std::abs(slope) / polynomial.denominator);
  }
  return size;
}

}  // namespace mercer

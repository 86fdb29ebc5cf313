#include "measure/special.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace mercer {
namespace {

// The continued fraction of I_x(a, b) by Lentz's method; converges fast for x < (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double value = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    value *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    value *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

// The x in [low, high] where a rising function reaches p, to the last bit.
template <class Rising>
double solve(double low, double high, double p, Rising value_at) {
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (value_at(middle) < p ? low : high) = middle;
  }
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  assert(a > 0 && b > 0 && x >= 0 && x <= 1);
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double inverse_incomplete_beta(double a, double b, double p) {
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  // Halving doubles between 0 and 1 reaches neighbours after at most about 1075 steps.
  return solve(0, 1, p, [&](double x) { return incomplete_beta(a, b, x); });
}

double student_t_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  // P(|T| > t) = I_x(degrees / 2, 1 / 2) with x = degrees / (degrees + t^2).
  const double x = inverse_incomplete_beta(degrees / 2, 0.5, 2 * std::min(p, 1 - p));
  return std::copysign(std::sqrt(degrees * (1 - x) / x), p - 0.5);
}

double incomplete_gamma(double a, double x) {
  assert(a > 0 && x >= 0);
  if (x <= 0) return 0;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (int n = 1; n < 1000000 && term > sum * 1e-17; ++n) sum += term *= x / (a + n);
    return front * sum;
  }
  // Lentz's method on the continued fraction of the upper function.
  double b = x + 1 - a, c = 1e300, d = 1 / b, value = d;
  for (int n = 1; n < 1000000; ++n) {
    const double an = -n * (n - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    value *= c * d;
    if (std::abs(c * d - 1) < 1e-16) break;
  }
  return 1 - front * value;
}

double chi_square_quantile(double p, double degrees) {
  assert(p > 0 && p < 1 && degrees > 0);
  double high = degrees + 1;
  while (incomplete_gamma(degrees / 2, high / 2) < p) high *= 2;
  return solve(0, high, p, [&](double x) { return incomplete_gamma(degrees / 2, x / 2); });
}

double normal_probability(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

double normal_quantile(double p) {
  assert(p > 0 && p < 1);
  if (p > 0.5) return -normal_quantile(1 - p);
  return solve(-40, 0, p, normal_probability);
}

}  // namespace mercer

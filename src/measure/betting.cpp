#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/check_sample.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// Of the capital, at most this part is lost in one bet.
constexpr double boldest = 0.9;
// What the variance is taken to be before anything was seen, in units of the squared range; it counts as one number.
constexpr double variance_before = 0.01;

}  // namespace

std::vector<double> predictable_bets(std::span<const double> residuals, double scale, double delta) {
  const double share = 2 * std::log(1 / delta) / static_cast<double>(residuals.size());
  std::vector<double> bets(residuals.size());
  double squares = variance_before * scale * scale;
  for (std::size_t i = 0; i < bets.size(); ++i) {
    bets[i] = std::sqrt(share * static_cast<double>(i + 1) / squares);
    squares += residuals[i] * residuals[i];
  }
  return bets;
}

bool refutes(const AffineSample& z, double s, double most, std::span<const double> bets, double delta) {
  const double wanted = std::log(1 / delta);
  const double cap = most > 0 ? boldest / most : std::numeric_limits<double>::infinity();
  double log_capital = 0, capital = 1;
  for (std::size_t i = 0; i < bets.size(); ++i) {
    const double value = z.offset[i] + s * z.slope[i];
    capital *= 1 - std::min(bets[i], cap) * value;
    // Logarithms are slow: they are taken before the product leaves the range of doubles. Each factor is between 1/10
    // and, since a bet does not exceed 10 sqrt(2 ln(1/delta)) of the range, some hundreds.
    if (i % 32 != 31 && i + 1 != bets.size() && capital < 1e200) continue;
    log_capital += std::log(capital);
    capital = 1;
    if (log_capital >= wanted) return true;
  }
  return false;
}

double betting_upper(std::span<const double> x, Range range, double delta) {
  check_sample(x, 1, delta);
  check_inside(x, range);
  if (!(range.width() > 0)) return range.high;
  std::vector<double> residuals(x.size());
  double sum = x[0];  // the first has no mean before it: its residual stays 0
  for (std::size_t i = 1; i < x.size(); ++i) {
    residuals[i] = x[i] - sum / static_cast<double>(i);
    sum += x[i];
  }
  const std::vector<double> bets = predictable_bets(residuals, range.width(), delta);
  const std::vector<double> slope(x.size(), -1);
  double low = range.low, high = range.high;  // refuted at high or nowhere
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high || high - low < 1e-13 * range.width()) return high;
    (refutes({x, slope}, middle, range.high - middle, bets, delta) ? high : low) = middle;
  }
}

}  // namespace mercer

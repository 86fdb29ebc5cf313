#include <algorithm>
#include <array>
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

// Numbers of items that bets without a known end are planned for. Whatever the end, one of them is not far from it.
constexpr double horizons[] = {1e3, 1e4, 1e5};

// ln of the mean of the capitals.
double log_mean(std::span<const double> logs) {
  const double most = *std::max_element(logs.begin(), logs.end());
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - most);
  return most + std::log(sum / static_cast<double>(logs.size()));
}

// With their number known, capitals stay in registers: three cost little more than one.
template <std::size_t count>
bool refuted_by(const AffineSample& z, double s, double most, const BettingPlans& plans, double delta) {
  const double wanted = std::log(1 / delta);
  const double cap = most > 0 ? boldest / most : std::numeric_limits<double>::infinity();
  std::array<const double*, count> bets;
  for (std::size_t p = 0; p < count; ++p) bets[p] = plans[p].data();
  std::array<double, count> logs{}, capital;
  capital.fill(1);
  for (std::size_t i = 0; i < z.offset.size(); ++i) {
    const double value = z.offset[i] + s * z.slope[i];
    // Logarithms are slow: they are taken before a product leaves the range of doubles. Each factor is between 1/10
    // and, since a bet does not exceed 10 sqrt(2 ln(1/delta)) of the range, some hundreds.
    bool look = i % 32 == 31 || i + 1 == z.offset.size();
    for (std::size_t p = 0; p < count; ++p) {
      capital[p] *= 1 - std::min(bets[p][i], cap) * value;
      look = look || capital[p] >= 1e200;
    }
    if (!look) continue;
    for (std::size_t p = 0; p < count; ++p) logs[p] += std::log(capital[p]);
    capital.fill(1);
    if (log_mean(logs) >= wanted) return true;
  }
  return false;
}

}  // namespace

BettingPlans predictable_bets(std::span<const double> residuals, double scale, double delta, bool anytime) {
  const std::size_t count = residuals.size();
  const auto plan = [&](double goal, auto horizon) {
    std::vector<double> bets(count);
    double squares = variance_before * scale * scale;
    for (std::size_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(i + 1);
      bets[i] = std::sqrt(2 * goal / horizon(t) * t / squares);
      squares += residuals[i] * residuals[i];
    }
    return bets;
  };
  if (!anytime) return {plan(std::log(1 / delta), [&](double) { return static_cast<double>(count); })};
  // One of the capitals has to reach the goal for all.
  const double goal = std::log(static_cast<double>(std::size(horizons)) / delta);
  BettingPlans plans;
  for (const double h : horizons) plans.push_back(plan(goal, [&](double t) { return std::max(h, t); }));
  return plans;
}

bool refutes(const AffineSample& z, double s, double most, const BettingPlans& plans, double delta) {
  return plans.size() == 1 ? refuted_by<1>(z, s, most, plans, delta)
                           : refuted_by<std::size(horizons)>(z, s, most, plans, delta);
}

double betting_upper(std::span<const double> x, Range range, double delta, bool anytime) {
  check_sample(x, 1, delta);
  check_inside(x, range);
  if (!(range.width() > 0)) return range.high;
  std::vector<double> residuals(x.size());
  double sum = x[0];  // the first has no mean before it: its residual stays 0
  for (std::size_t i = 1; i < x.size(); ++i) {
    residuals[i] = x[i] - sum / static_cast<double>(i);
    sum += x[i];
  }
  const BettingPlans plans = predictable_bets(residuals, range.width(), delta, anytime);
  const std::vector<double> slope(x.size(), -1);
  double low = range.low, high = range.high;  // refuted at high or nowhere
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high || high - low < 1e-13 * range.width()) return high;
    (refutes({x, slope}, middle, range.high - middle, plans, delta) ? high : low) = middle;
  }
}

}  // namespace mercer

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "measure/check_sample.hpp"
#include "measure/special.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double log_share(double delta, Sides sides) { return std::log((sides == Sides::two ? 2 : 1) / delta); }

Range around(double centre, double radius, Sides sides) {
  return {sides == Sides::upper ? -infinity : centre - radius, sides == Sides::lower ? infinity : centre + radius};
}

struct Moments {
  double mean = 0;
  double variance = 0;  // with N - 1
};

Moments moments(std::span<const double> x) {
  Moments found;
  for (const double value : x) found.mean += value;
  found.mean /= static_cast<double>(x.size());
  for (const double value : x) found.variance += (value - found.mean) * (value - found.mean);
  found.variance /= std::max<double>(static_cast<double>(x.size()) - 1, 1);
  return found;
}

}  // namespace

Range hoeffding_interval(std::span<const double> x, Range range, double delta, Sides sides) {
  check_sample(x, 1, delta);
  check_inside(x, range);
  const double count = static_cast<double>(x.size());
  return around(moments(x).mean, range.width() * std::sqrt(log_share(delta, sides) / (2 * count)), sides);
}

Range empirical_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides) {
  check_sample(x, 2, delta);
  check_inside(x, range);
  const double count = static_cast<double>(x.size()), share = log_share(delta, sides) + std::numbers::ln2;
  const Moments of = moments(x);
  return around(of.mean, std::sqrt(2 * of.variance * share / count) + 7 * range.width() * share / (3 * (count - 1)),
                sides);
}

Range predictable_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides) {
  check_sample(x, 1, delta);
  check_inside(x, range);
  if (!(range.width() > 0)) return around(range.low, 0, sides);
  const double count = static_cast<double>(x.size()), share = log_share(delta, sides);
  double mean = 0.5, variance = 0.25, sum = 0.5, squares = 0.25;
  double bets = 0, centre = 0, penalty = share;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double y = (x[i] - range.low) / range.width();
    const double lambda = std::min(std::sqrt(2 * share / (count * variance)), 0.5);
    bets += lambda;
    centre += lambda * y;
    penalty += (y - mean) * (y - mean) * (-std::log1p(-lambda) - lambda);
    sum += y;
    mean = sum / static_cast<double>(i + 2);
    squares += (y - mean) * (y - mean);
    variance = squares / static_cast<double>(i + 2);
  }
  return around(range.low + range.width() * centre / bets, range.width() * penalty / bets, sides);
}

Range betting_interval(std::span<const double> x, Range range, double delta, Sides sides, bool anytime) {
  const double share = sides == Sides::two ? delta / 2 : delta;
  Range found{-infinity, infinity};
  if (sides != Sides::lower) found.high = betting_upper(x, range, share, anytime);
  if (sides == Sides::upper) return found;
  std::vector<double> turned(x.begin(), x.end());
  for (double& value : turned) value = -value;
  found.low = -betting_upper(turned, {-range.high, -range.low}, share, anytime);
  return found;
}

Range student_t_interval(std::span<const double> x, double delta, Sides sides) {
  check_sample(x, 2, delta);
  const double count = static_cast<double>(x.size());
  const Moments of = moments(x);
  const double quantile = student_t_quantile(1 - (sides == Sides::two ? delta / 2 : delta), count - 1);
  return around(of.mean, quantile * std::sqrt(of.variance / count), sides);
}

Range clopper_pearson_interval(std::size_t hits, std::size_t n, double delta, Sides sides) {
  check_delta(delta);
  if (n == 0 || hits > n) {
    throw Error(ErrorCode::out_of_range, fmt::format("{} hits in {} trials", hits, n),
                "Give at least one trial and no more hits than trials");
  }
  const double share = sides == Sides::two ? delta / 2 : delta;
  const double h = static_cast<double>(hits), misses = static_cast<double>(n - hits);
  Range found{0, 1};
  if (hits > 0 && sides != Sides::upper) found.low = inverse_incomplete_beta(h, misses + 1, share);
  if (hits < n && sides != Sides::lower) found.high = inverse_incomplete_beta(h + 1, misses, 1 - share);
  return found;
}

}  // namespace mercer

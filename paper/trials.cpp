#include "trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/special.hpp"

namespace mercer::paper {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// P(T <= t) for Student's distribution.
double student_p(double t, double degrees) {
  if (std::isinf(t)) return t < 0 ? 0 : 1;
  const double tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
  return t < 0 ? tail : 1 - tail;
}

struct Moments {
  double mean = 0, error = 0;  // standard error of the mean
};
Moments moments(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  Moments found;
  for (const double value : values) found.mean += value / n;
  for (const double value : values) found.error += (value - found.mean) * (value - found.mean);
  found.error = std::sqrt(found.error / (n - 1) / n);
  return found;
}

}  // namespace

double mean_below_p(std::span<const double> values, double bound) {
  constexpr std::size_t most_flipped = 16;
  if (values.empty()) return 1;
  if (values.size() > most_flipped) {
    const Moments found = moments(values);
    if (found.error == 0) return found.mean < bound ? 0 : 1;
    return student_p((found.mean - bound) / found.error, static_cast<double>(values.size() - 1));
  }
  std::vector<double> away;
  double observed = 0, size = 0;
  for (const double value : values) {
    away.push_back(value - bound);
    observed += away.back();
    size += std::abs(away.back());
  }
  std::size_t extreme = 0;
  const std::size_t all = std::size_t{1} << values.size();
  for (std::size_t signs = 0; signs < all; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < away.size(); ++i) sum += (signs >> i & 1) != 0 ? -away[i] : away[i];
    extreme += sum <= observed + 1e-12 * size ? 1 : 0;  // sums in another order differ by rounding
  }
  return static_cast<double>(extreme) / static_cast<double>(all);
}

Range student_interval(std::span<const double> values) {
  if (values.size() < 2) return {-infinity, infinity};
  const Moments found = moments(values);
  const double half = student_t_quantile(0.975, static_cast<double>(values.size() - 1)) * found.error;
  return {found.mean - half, found.mean + half};
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double least = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::max(least, std::min(1.0, p[order[i]] * static_cast<double>(order.size() - i)));
    adjusted[order[i]] = least;
  }
  return adjusted;
}

double kendall(std::span<const double> x, std::span<const double> y) {
  if (x.size() != y.size() || x.size() < 2) return unknown;
  double score = 0, pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double way = (x[i] - x[j]) * (y[i] - y[j]);
      if (std::isnan(way)) return unknown;
      score += way > 0 ? 1 : way < 0 ? -1 : 0;
      ++pairs;
    }
  }
  return score / pairs;
}

Line log_line(std::span<const double> x, std::span<const double> y) {
  Line line{unknown, unknown, x.size(), {-infinity, infinity}};
  const double n = static_cast<double>(x.size());
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!(x[i] > 0) || !(y[i] > 0)) return line;
    mean_x += std::log(x[i]) / n, mean_y += std::log(y[i]) / n;
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = std::log(x[i]) - mean_x, dy = std::log(y[i]) - mean_y;
    xx += dx * dx, xy += dx * dy, yy += dy * dy;
  }
  if (!(xx > 0)) return line;
  line.slope = xy / xx;
  if (x.size() < 3) return line;
  line.error = std::sqrt(std::max(0.0, yy - line.slope * xy) / (n - 2) / xx);
  const double half = student_t_quantile(0.975, n - 2) * line.error;
  line.interval = {line.slope - half, line.slope + half};
  return line;
}

double slope_p(const Line& line, double bound) {
  if (std::isnan(line.slope) || std::isnan(line.error)) return 1;
  if (line.error == 0) return line.slope < bound ? 0 : 1;
  return student_p((line.slope - bound) / line.error, static_cast<double>(line.points - 2));
}

}  // namespace mercer::paper

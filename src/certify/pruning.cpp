#include "certify/pruning.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

void check_delta(double delta) { require_in_range("delta", delta, 1e-300, std::nextafter(1.0, 0.0), "0.05 is usual"); }

}  // namespace

double printed_pruning_bound(std::size_t n, std::size_t m, std::size_t trajectories, double gamma, double r_M,
                             double delta) {
  check_delta(delta);
  const double pairs = static_cast<double>(n) * static_cast<double>(m);
  return 2 * r_M / (1 - gamma) *
         std::sqrt((3 * pairs + 4 * std::log(1 / delta)) / (2 * static_cast<double>(trajectories)));
}

std::vector<double> counted_policy(std::span<const double> counts, std::size_t m) {
  std::vector<double> pi(counts.begin(), counts.end());
  for (std::size_t begin = 0; begin + m <= pi.size(); begin += m) {
    const auto row = std::span(pi).subspan(begin, m);
    const double total = std::accumulate(row.begin(), row.end(), 0.0);
    for (double& value : row) value = total > 0 ? value / total : 1 / static_cast<double>(m);
  }
  return pi;
}

double held_out_pruning_bound(double delta_r, double gamma, std::size_t T, std::size_t hits, std::size_t held_out,
                              double delta) {
  const double touched = clopper_pearson_interval(hits, held_out, delta, Sides::upper).high;
  return delta_r / (1 - gamma) * std::min(1.0, touched + std::pow(gamma, static_cast<double>(T)));
}

double weissman_radius(double draws, std::size_t outcomes, std::size_t rows, double delta) {
  check_delta(delta);
  if (outcomes <= 1) return 0;
  if (!(draws > 0)) return 1;
  const auto k = static_cast<double>(outcomes);
  const double sets = k * std::numbers::ln2 + std::log1p(-std::exp2(1 - k));  // ln(2^k - 2)
  const double tests = static_cast<double>(rows) * std::numbers::pi * std::numbers::pi * draws * draws / (6 * delta);
  return std::min(1.0, std::sqrt((sets + std::log(tests)) / (2 * draws)));
}

}  // namespace mercer

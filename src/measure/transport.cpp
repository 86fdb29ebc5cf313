#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "measure/network_simplex.hpp"
#include "measure/weights.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

constexpr std::int64_t unit = std::int64_t{1} << 50;

void check(const WeightedPoints& x, const WeightedPoints& y) {
  for (const WeightedPoints* side : {&x, &y}) {
    if (side->points.rows() == 0 || side->points.cols() == 0 || side->points.rows() != x.points.rows() ||
        (!side->weights.empty() && side->weights.size() != side->points.cols())) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("{} points of {} dimensions with {} weights, and the other side has {} dimensions",
                              side->points.cols(), side->points.rows(), side->weights.size(), x.points.rows()),
                  "Give points of the same dimensions on both sides, and a weight for each or for none");
    }
    for (std::size_t d = 0; d < side->points.rows(); ++d) {
      for (const double value : side->points.row(d)) {
        if (!std::isfinite(value)) {
          throw Error(ErrorCode::not_finite, fmt::format("a coordinate is {}", value),
                      "Remove values that are not finite numbers");
        }
      }
    }
  }
}

// Points that carry mass, and how much in whole units that sum to `unit`.
struct Masses {
  std::vector<std::size_t> places;
  std::vector<std::int64_t> amounts;
};

Masses masses(const WeightedPoints& side) {
  Masses out;
  const double total = total_weight(side.weights, side.points.cols());
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < side.points.cols(); ++i) {
    const double share = (side.weights.empty() ? 1 : side.weights[i]) / total;
    const auto amount = static_cast<std::int64_t>(std::llround(share * static_cast<double>(unit)));
    if (amount == 0) continue;
    out.places.push_back(i);
    out.amounts.push_back(amount);
    sum += amount;
  }
  *std::ranges::max_element(out.amounts) += unit - sum;  // what rounding left over
  return out;
}

std::vector<double> along(MatrixView<const double> points, std::span<const double> direction) {
  std::vector<double> out(points.cols(), 0);
  for (std::size_t d = 0; d < points.rows(); ++d) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += direction[d] * points(d, i);
  }
  return out;
}

}  // namespace

double transport_distance(const WeightedPoints& x, const WeightedPoints& y) {
  check(x, y);
  const std::size_t most = std::max(x.points.cols(), y.points.cols());
  if (most > most_transport_points) {
    throw Error(ErrorCode::too_large,
                fmt::format("{} points; the exact distance takes up to {}", most, most_transport_points),
                "Use fewer points, or the sliced distance");
  }
  const Masses from = masses(x), to = masses(y);
  std::vector<double> cost(from.places.size() * to.places.size());
  for (std::size_t i = 0; i < from.places.size(); ++i) {
    for (std::size_t j = 0; j < to.places.size(); ++j) {
      double squares = 0;
      for (std::size_t d = 0; d < x.points.rows(); ++d) {
        const double gap = x.points(d, from.places[i]) - y.points(d, to.places[j]);
        squares += gap * gap;
      }
      cost[i * to.places.size() + j] = std::sqrt(squares);
    }
  }
  return least_transport_cost(from.amounts, to.amounts, cost) / static_cast<double>(unit);
}

double sliced_wasserstein(const WeightedPoints& x, const WeightedPoints& y, std::size_t directions,
                          std::uint64_t seed) {
  check(x, y);
  require_in_range("directions", static_cast<double>(directions), 1, 1e6, "64 are usual");
  std::vector<double> direction(x.points.rows());
  double sum = 0;
  for (std::size_t k = 0; k < directions; ++k) {
    Random random({seed, Stage::slice, k, 0});
    double squares = 0;
    for (double& value : direction) {
      value = random.normal();
      squares += value * value;
    }
    for (double& value : direction) value /= std::sqrt(squares);
    sum += wasserstein(along(x.points, direction), along(y.points, direction), x.weights, y.weights);
  }
  return sum / static_cast<double>(directions);
}

}  // namespace mercer

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/number_codes.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

struct Spread {
  double mean, deviation;
};

Spread mean_and_deviation(std::span<const double> values) {
  double mean = 0, square = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values) square += (value - mean) * (value - mean);
  return {mean, std::sqrt(square / static_cast<double>(values.size()))};
}

}  // namespace

double Coordinate::apply(double value) const {
  const double x = (value - (range.low + range.high) / 2) * (2 / range.width());
  if (periodic) return x;
  const double inside = x < -1 ? -1 : x > 1 ? 1 : x;
  if (knots.empty()) return inside;
  double y = -1, before = -1;
  const double height = 2.0 / static_cast<double>(knots.size() + 1);
  for (std::size_t j = 0; j <= knots.size(); ++j) {
    const double next = j == knots.size() ? 1 : -1 + knots[j] / 128.0;
    const double part = (inside - before) / (next - before);
    y += height * (part < 0 ? 0 : part > 1 ? 1 : part);
    before = next;
  }
  return y;
}

bool is_bounded(const Axis& axis) {
  return std::isfinite(axis.range.low) && std::isfinite(axis.range.high) && axis.range.width() > 0;
}

bool has_finite_ranges(const Space& space) { return std::ranges::all_of(space.axes, is_bounded); }

Coordinates coordinates_of(const Space& space) {
  Coordinates out;
  for (const Axis& axis : space.axes) {
    if (!is_bounded(axis)) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("axis '{}' runs from {} to {}, which is no range to scale by", axis.name, axis.range.low,
                              axis.range.high),
                  "Take the range of visited states");
    }
    out.push_back({axis.range, axis.periodic});
  }
  return out;
}

Coordinates visited_coordinates(const Space& space, MatrixView<const double> states, double spreads) {
  Coordinates out;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const Axis& axis = space.axes[d];
    const auto [mean, deviation] = mean_and_deviation(states.row(d));
    const double reach = spreads * deviation + 1e-3;
    Range range{std::max(axis.range.low, mean - reach), std::min(axis.range.high, mean + reach)};
    if (axis.periodic) range = axis.range;
    range = {from_half(to_half(range.low)), from_half(to_half(range.high))};
    if (!std::isfinite(range.width()) || !(range.width() > 0)) {
      throw Error(
          ErrorCode::out_of_range,
          fmt::format("states along '{}' have mean {} and reach {}: beyond half precision", axis.name, mean, reach),
          "Scale this observation");
    }
    out.push_back({range, axis.periodic});
  }
  return out;
}

Coordinates power_coordinates(const Space& space, MatrixView<const double> states) {
  constexpr int least = -32, most = 31, apart = 7;
  std::vector<int> exponents(space.dimensions(), least);
  for (std::size_t d = 0; d < exponents.size(); ++d) {
    if (is_bounded(space.axes[d])) continue;
    const auto [mean, deviation] = mean_and_deviation(states.row(d));
    const double reach = std::abs(mean) + 4 * deviation;
    if (!(reach <= std::ldexp(1.0, most))) {
      throw Error(ErrorCode::out_of_range,
                  fmt::format("states along '{}' reach {}; legal: up to 2^{}", space.axes[d].name, reach, most),
                  "Scale this observation");
    }
    exponents[d] = std::max(least, static_cast<int>(std::ceil(std::log2(std::max(reach, 1e-12)))));
  }
  const int largest = exponents.empty() ? least : std::ranges::max(exponents);
  Coordinates out;
  for (std::size_t d = 0; d < exponents.size(); ++d) {
    const Axis& axis = space.axes[d];
    const double end = std::ldexp(1.0, std::max(exponents[d], largest - apart));
    out.push_back({is_bounded(axis) ? axis.range : Range{-end, end}, axis.periodic});
  }
  return out;
}

void add_knots(Coordinates& coordinates, MatrixView<const double> states, std::size_t count, double temper) {
  require_in_range("the number of knots", static_cast<double>(count), 1, 15, "Take 1 to 15");
  require_in_range("the temper of knots", temper, 0, 1, "Take 0 (even) to 1 (quantiles)");
  std::vector<double> sorted(states.cols());
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    Coordinate& axis = coordinates[d];
    if (axis.periodic) continue;
    axis.knots.clear();
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = axis.apply(states(d, i));
    std::ranges::sort(sorted);
    double least = 1;
    for (std::size_t j = 1; j <= count; ++j) {
      const double share = static_cast<double>(j) / static_cast<double>(count + 1);
      const double quantile = sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
      const double place = 128 * (1 + temper * quantile + (1 - temper) * (2 * share - 1));
      const double most = 255 - static_cast<double>(count - j);
      least = std::clamp(std::nearbyint(place), least, most);
      axis.knots.push_back(static_cast<std::uint8_t>(least));
      least += 1;
    }
  }
}

}  // namespace mercer

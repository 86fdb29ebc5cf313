#pragma once

#include <algorithm>
#include <cstddef>

namespace mercer {

/// Where the quantile i / bins of N sorted numbers lies when ranks count from 0 to N - 1: between two neighbours.
struct QuantilePlace {
  std::size_t below, above;
  double share;  ///< of the way from one to the other, 0 to 1

  QuantilePlace(std::size_t i, std::size_t bins, std::size_t size) {
    const double place = static_cast<double>(i) / static_cast<double>(bins) * static_cast<double>(size - 1);
    below = static_cast<std::size_t>(std::min(place, static_cast<double>(size - 1)));
    above = std::min(below + 1, size - 1);
    share = place - static_cast<double>(below);
  }

  /// The end that is nearer is the one that is added to, so that both ends are met exactly.
  double between(double low, double high) const {
    const double step = high - low;
    return share < 0.5 ? low + step * share : high - step * (1 - share);
  }
};

}  // namespace mercer

#include "measure/weights.hpp"

#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {

double total_weight(std::span<const double> weights, std::size_t points) {
  double total = weights.empty() ? static_cast<double>(points) : 0;
  for (const double weight : weights) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw Error(ErrorCode::bad_distribution, fmt::format("a weight is {}", weight), "Give weights of 0 or more");
    }
    total += weight;
  }
  if (!(total > 0) || !std::isfinite(total)) {
    throw Error(ErrorCode::bad_distribution, fmt::format("the weights sum to {}", total),
                "Give at least one weight above 0");
  }
  return total;
}

}  // namespace mercer

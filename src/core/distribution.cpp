#include "mercer/core/distribution.hpp"

#include <cmath>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {

void check_distribution(std::span<const double> probabilities, const std::string& where) {
  constexpr double tolerance = 1e-6;
  double sum = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (!(probabilities[i] >= 0 && probabilities[i] <= 1 + tolerance)) {
      throw Error(ErrorCode::bad_distribution, fmt::format("{}[{}] is {}; legal: 0 to 1", where, i, probabilities[i]),
                  "Correct that probability");
    }
    sum += probabilities[i];
  }
  // Three times 0.333333 misses by 1e-6 and a rounding.
  if (std::abs(sum - 1) > tolerance + 1e-12) {
    throw Error(ErrorCode::bad_distribution, fmt::format("{} sums to {}; legal: 1 within {}", where, sum, tolerance),
                "Correct the row or divide it by its sum");
  }
}

}  // namespace mercer

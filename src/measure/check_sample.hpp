#pragma once

#include <cmath>
#include <span>

#include <fmt/format.h>

#include "mercer/env.hpp"
#include "mercer/error.hpp"

namespace mercer {

inline void check_delta(double delta) {
  if (delta > 0 && delta < 1) return;
  throw Error(ErrorCode::out_of_range, fmt::format("the probability of a miss is {}; legal: between 0 and 1", delta),
              "Give a confidence such as 0.95");
}

inline void check_finite(std::span<const double> x) {
  for (const double value : x) {
    if (std::isfinite(value)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("a number is {}", value),
                "Remove values that are not finite numbers");
  }
}

/// Throws unless there are enough numbers, all finite, and delta is a probability.
inline void check_sample(std::span<const double> x, std::size_t least, double delta) {
  check_delta(delta);
  if (x.size() < least) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} numbers; needed: {} or more", x.size(), least),
                "Use more episodes");
  }
  check_finite(x);
}

/// Throws unless all numbers lie in the range that is said to hold them: a guarantee rests on it.
inline void check_inside(std::span<const double> x, const Range& range) {
  if (!std::isfinite(range.low) || !std::isfinite(range.high)) {
    throw Error(ErrorCode::not_finite, fmt::format("the range is [{}, {}]", range.low, range.high),
                "A guarantee needs finite bounds; declare them in the task");
  }
  // Sums of rewards round: a bound that is reached may be passed by that much.
  const double slack = 1e-9 * std::max(std::abs(range.low), std::abs(range.high));
  for (const double value : x) {
    if (value >= range.low - slack && value <= range.high + slack) continue;
    throw Error(ErrorCode::out_of_range,
                fmt::format("a number is {}; declared range: {} to {}", value, range.low, range.high),
                "Declare bounds that hold, or start where the task says that states are");
  }
}

}  // namespace mercer

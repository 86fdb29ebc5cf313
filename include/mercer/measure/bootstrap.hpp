#pragma once

#include <cstdint>
#include <span>

#include "mercer/measure/intervals.hpp"

namespace mercer {

/// What a bootstrap looks at.
enum class Statistic { mean, std };

struct BootstrapOptions {
  std::size_t resamples = 2000;  ///< 100 to 10^6
  std::uint64_t seed = 0;
  bool corrected = true;  ///< BCa: corrected for bias and skewness; otherwise plain percentiles
};

/// Interval by resampling with replacement. An estimate, good for large samples; it cannot know of what never happened
/// in the sample. O(resamples N) on all allowed threads, the same result for any number of them. Throws
/// `shape_mismatch` for fewer than three numbers.
Range bootstrap_interval(std::span<const double> x, Statistic statistic, double delta, Sides sides = Sides::two,
                         const BootstrapOptions& options = {});

}  // namespace mercer

#pragma once

#include <span>

#include "mercer/env/space.hpp"

namespace mercer {

/// Mean and spread of returns. The interval is Student's: an estimate that assumes roughly normal means, no guarantee.
/// With a single episode the spread and the interval are unknown: NaN.
struct ReturnSummary {
  double mean = 0;
  double std = 0;  ///< with N - 1 in the denominator
  Range ci95;      ///< of the mean
};
ReturnSummary summarise(std::span<const double> returns);

/// What policy 2 loses against policy 1 on the same start states and noise.
struct PairedLoss {
  double loss_mean = 0;     ///< mean of returns1 - returns2
  double loss_percent = 0;  ///< in percent of |mean of returns1|
  Range ci95_percent;       ///< Student's interval of the paired differences, same unit
};
/// Throws `shape_mismatch` unless both have the same number of episodes.
PairedLoss paired_loss(std::span<const double> returns1, std::span<const double> returns2);

}  // namespace mercer

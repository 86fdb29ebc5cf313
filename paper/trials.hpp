#pragma once

#include <span>
#include <vector>

#include "mercer/env.hpp"

namespace mercer::paper {

/// The share of all 2^n ways to flip signs of the values (about `bound`) whose mean is no larger than theirs: the exact
/// p of "mean >= bound" for values that are symmetric about their mean. From 17 values on Student's t instead.
double mean_below_p(std::span<const double> values, double bound);

/// Student's 95% interval of a mean; infinite for fewer than two values.
Range student_interval(std::span<const double> values);

/// Holm's step-down adjustment, in the order of `p`; at most 1.
std::vector<double> holm(std::span<const double> p);

/// Kendall's tau-a: (pairs in order - pairs out of order) / pairs; ties count as neither. NaN for fewer than two.
double kendall(std::span<const double> x, std::span<const double> y);

/// A straight line through (log x, log y) by least squares. Slope NaN unless there are two different x > 0 and all
/// y > 0.
struct Line {
  double slope = 0, error = 0;  ///< standard error of the slope; NaN for two points
  std::size_t points = 0;
  Range interval{};  ///< 95%, Student's
};
Line log_line(std::span<const double> x, std::span<const double> y);
/// p of "slope >= bound".
double slope_p(const Line& line, double bound);

}  // namespace mercer::paper

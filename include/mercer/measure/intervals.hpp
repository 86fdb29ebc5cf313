#pragma once

#include <cstddef>
#include <span>

#include "mercer/env/space.hpp"

namespace mercer {

/// Which ends of an interval are promised. The other end of a one-sided interval is infinite.
enum class Sides { two, lower, upper };

// Intervals for the mean of independent numbers of one distribution. An interval misses the mean with probability at
// most `delta`, in (0, 1). L below is ln(2 / delta) for two sides, ln(1 / delta) for one.
//
// Those that know a range [a, b] of the numbers hold for every distribution and every number of them; they throw
// `out_of_range` when a number lies outside. All throw `shape_mismatch` for too few numbers. O(N).

/// mean +- (b - a) sqrt(L / 2N).
Range hoeffding_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// Maurer and Pontil: mean +- [ sqrt(2 v (L + ln 2) / N) + 7 (b - a) (L + ln 2) / (3 (N - 1)) ], v the variance with
/// N - 1. Two numbers or more.
Range empirical_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// Waudby-Smith and Ramdas, predictable plug-in: with y = (x - a) / (b - a), lambda_t = min(sqrt(2 L / (N v_{t-1})),
/// 1/2), mu_t = (1/2 + sum y) / (t + 1), v_t = (1/4 + sum (y_i - mu_i)^2) / (t + 1): centre sum(lambda y) /
/// sum(lambda), radius [L + sum (y_i - mu_{i-1})^2 (-ln(1 - lambda_i) - lambda_i)] / sum(lambda).
Range predictable_bernstein_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// The tightest here: see betting.hpp.
Range betting_interval(std::span<const double> x, Range range, double delta, Sides sides = Sides::two);

/// Student's: assumes that the mean is roughly normal. An estimate; it misses far too often when what matters is rare.
/// Two numbers or more.
Range student_t_interval(std::span<const double> x, double delta, Sides sides = Sides::two);

/// Clopper and Pearson: of the probability of what happened `hits` times in `n` independent trials. Exact; n from 1.
/// Throws `out_of_range` for more hits than trials.
Range clopper_pearson_interval(std::size_t hits, std::size_t n, double delta, Sides sides = Sides::two);

}  // namespace mercer

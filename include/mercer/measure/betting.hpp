#pragma once

#include <span>
#include <vector>

#include "mercer/env/space.hpp"

namespace mercer {

/// Upper bound for the mean of independent numbers in `range`, missed with probability at most `delta`; never above
/// the range.
///
/// Waudby-Smith and Ramdas, one-sided: whoever believes that the mean is u or more sells bets at fair odds. Betting
/// beta_t, chosen before x_t is seen, on numbers below u multiplies one's capital by 1 - beta_t (x_t - u). If the mean
/// is u or more, capital ever reaches 1 / delta with probability at most delta. The bound is the smallest u at which
/// it did; capital rises with u, so bisection finds it. beta_t = min(sqrt(2 ln(1 / delta) / (N v_{t-1})), 9/10 of what
/// can be lost at most); v runs over the numbers seen before. O(N) for each of about 60 halvings.
double betting_upper(std::span<const double> x, Range range, double delta);

/// Numbers that are affine in an unknown s: z_i = offset_i + s slope_i. Claims about s are tested on them.
struct AffineSample {
  std::span<const double> offset;
  std::span<const double> slope;
};

/// Bets for a claim that the mean of z is 0 or more. `residuals` are z at any s that was guessed before the item was
/// seen; `scale` is the width of their range.
std::vector<double> predictable_bets(std::span<const double> residuals, double scale, double delta);

/// Whether betting against "the mean of z at s is 0 or more" ever reaches 1 / delta; bets are cut to 9/10 of 1 / most,
/// `most` the largest value z can have at s. True where `most` is not above 0 and some z is below it.
bool refutes(const AffineSample& z, double s, double most, std::span<const double> bets, double delta);

}  // namespace mercer

#pragma once

#include <cstdint>
#include <vector>

#include "mercer/core/matrix_view.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// Between normal distributions, in closed form. Squashing both by one monotone function changes neither. Standard
/// deviations above 0.
double gaussian_total_variation(double mean1, double std1, double mean2, double std2);
/// Kullback-Leibler divergence of the second from the first, in nats.
double gaussian_divergence(double mean1, double std1, double mean2, double std2);

/// How far two policies are apart, averaged over states. Bounds between them that hold in every state: the means of
/// actions differ by at most W1, and TV <= sqrt(KL / 2).
struct PolicyDistance {
  double tv = 0;
  double most_tv = 0;   ///< largest over the states
  double kl = 0;        ///< of the second from the first, nats; infinite where it does not go
  double w1 = 0;        ///< in units of the action; for discrete actions of their numbers
  double mean_gap = 0;  ///< mean over the states of |E a - E' a|
  double inside = 1;    ///< smallest mass of either in the action space that the densities account for
};

/// For one action dimension, from the log-densities: sums over discrete actions; on a bounded box 8-point
/// Gauss-Legendre in panels between `breaks` (places where a density may jump, such as the edges of bins), halved
/// towards both bounds, where squashed densities pile up. About (breaks + 130) * 8 evaluations a state. `observations`
/// are columns. Throws `shape_mismatch` for policies of other or several action dimensions, `not_finite` for a box
/// without bounds.
PolicyDistance policy_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               const std::vector<double>& breaks = {});

/// Mean over states of the Wasserstein distance between samples of `draws` actions each, for policies without densities
/// too and for any action dimensions (exact transport, up to 2,000 draws). It overestimates: two samples of one policy
/// are apart by about 1 / sqrt(draws) of its spread. Two policies draw from the same random numbers.
double sampled_wasserstein(const Policy& first, const Policy& second, MatrixView<const double> observations,
                           std::size_t draws = 256, std::uint64_t seed = 0);

}  // namespace mercer

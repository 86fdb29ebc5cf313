#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

enum class Covariance { diagonal, full };

/// A mixture of K Gaussians in d dimensions.
struct Mixture {
  std::size_t dimensions = 0;
  Covariance covariance = Covariance::diagonal;
  std::vector<double> weights;    ///< K, not negative, sum one
  std::vector<double> means;      ///< K x d
  std::vector<double> variances;  ///< K x d (diagonal) or K x d x d (full, symmetric)

  std::size_t size() const { return weights.size(); }
  /// Real numbers that must be stored: K - 1 weights, K d means and the variances.
  std::size_t parameters() const;
};

/// log sum_k w_k N(x; mean_k, variance_k), by log-sum-exp, at every row of `points`. O(points K d), full O(points K
/// d^2).
std::vector<double> log_density(const Mixture& mixture, MatrixView<const double> points);

struct MixtureOptions {
  std::size_t iterations = 100;                  ///< 0 to 1e6 rounds of expectation and maximisation
  Covariance covariance = Covariance::diagonal;  ///< that of `start`, where one is given
  double floor = 1e-6;                           ///< added to variances so that none collapses; 0 to 1e6
  double tolerance = 0;                          ///< stop when the mean log-likelihood gains less; 0: never
  std::uint64_t seed = 0;                        ///< of the k-means++ start
  bool weights_only = false;                     ///< means and variances stay as they started
};

struct MixtureFit {
  Mixture mixture;
  /// Mean log-likelihood of the points under the start and after each round; never falls (but for the floor).
  std::vector<double> log_likelihoods;
};

/// Expectation-maximisation from samples (one row each) or a weighted grid (`weights`: not negative, not all zero;
/// empty: all one). Without `start`, k-means++ picks `k` points as means, the variances are the data's.
MixtureFit fit_mixture(MatrixView<const double> points, std::size_t k, std::span<const double> weights = {},
                       const std::optional<Mixture>& start = std::nullopt, const MixtureOptions& options = {});

/// A mixture to fit with `weights_only`: equal weights, means uniform over the box (in one dimension evenly spaced,
/// otherwise drawn), variances {0.1, 0.5, 1, 2} in turn. Only its K - 1 weights are parameters.
Mixture fixed_mixture(std::size_t k, std::span<const double> low, std::span<const double> high, std::uint64_t seed = 0);

/// The baseline: every row of probabilities is replaced by the frequencies of `k` actions drawn from it. Its error
/// falls as 1 / sqrt(k). Row r draws the same whatever rows stand around it.
void sample_rows(MatrixView<double> rows, std::size_t k, std::uint64_t seed);

}  // namespace mercer

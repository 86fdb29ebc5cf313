#pragma once

#include "mercer/basis.hpp"

namespace mercer {

/// Throws unless sizes fit together, numbers are finite, weights are a distribution and variances positive (definite).
void check_mixture(const Mixture& mixture);

/// The components of a mixture, ready to be evaluated at many points.
class Components {
 public:
  explicit Components(const Mixture& mixture);

  /// out[k] = log (w_k N(x; mean_k, variance_k)); `out` and `centred` (d places) are overwritten.
  void log_terms(std::span<const double> x, std::span<double> centred, std::span<double> out) const;

 private:
  std::size_t d_;
  std::vector<double> constants_;  // log w_k minus the logarithm of the normaliser
  std::vector<double> means_;
  std::vector<double> scales_;    // diagonal: 1 / standard deviation
  std::vector<double> triangle_;  // full: lower Cholesky factors, 1 / diagonal on the diagonal; else empty
};

/// log sum exp, without overflow; -infinity for none.
double log_sum_exp(std::span<const double> logarithms);

}  // namespace mercer

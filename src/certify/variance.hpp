#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// The variance lemma, condition by condition, for the logistic sigma. Moments are over (s, a) drawn from beta; eps is
/// pi1 minus the raw truncation.
struct VarianceCheck {
  double E_eps = 0, E_eps2 = 0, V_eps = 0;
  double V_pi = 0, V_raw = 0, covariance = 0;  ///< of pi1, of the raw truncation, of the raw truncation with eps
  double V_Q1 = 0, V_Q2 = 0;
  double slope1 = 0, slope2 = 0;        ///< sigma'(eta1), sigma'(eta2)
  bool condition1 = false;              ///< sigma'(eta2) <= sigma'(eta1), as printed
  bool condition2 = false;              ///< sqrt(E[eps^2] / 3) >= E[eps]
  bool condition3 = false;              ///< |V[pi] - sigma'(eta1)^2 V[Q1]| <= V[pi] / 2
  double residual = 0;                  ///< that difference divided by V[pi]
  double sd_difference = 0;             ///< |sd(Q1) - sd(Q2)|
  double sd_bound1 = 0, sd_bound2 = 0;  ///< g / (1 - g) max_s TV(s) span_a Q_i(s, .): both hold always
};

/// `raw` is the truncated table before it was made a policy again (empty: pi2 itself), `beta` weights of (s, a) that
/// are normalised (empty: all the same). O(n m). Throws `shape_mismatch`, `bad_distribution`.
VarianceCheck variance_check(const TabularComparison& comparison, std::span<const double> raw = {},
                             std::span<const double> beta = {});

}  // namespace mercer

#pragma once

#include <cstdint>
#include <vector>

#include "mercer/embedding.hpp"

namespace mercer {

/// How a policy on many observations becomes a kernel expansion.
struct KernelOptions {
  Kernel kernel = Kernel::matern52;
  std::vector<double> lengths{1, 2, 4};  ///< to try: times sqrt(observations), in standard deviations of the states
  double held_out = 0.25;                ///< share of the states that judge and do not fit, 0.01 to 0.9
  double ridge = 1e-9;                   ///< of the fit, relative to the diagonal
  NumberFormat format = NumberFormat::float32;
  bool whole_distribution = true;  ///< the Gaussian head; otherwise the mean action only
  std::uint64_t seed = 0;          ///< of random features
};

/// One expansion that keeps to a budget.
struct KernelCandidate {
  ContinuousEmbedding embedding;
  bool landmarks = false;  ///< otherwise random features
  double length = 0;       ///< as in `KernelOptions::lengths`
  std::size_t floats = 0;  ///< K (observations + outputs) or K outputs, 2 observations + 1 for the coordinates, and
                           ///< (observations + 1) outputs where there is a linear part
  double error = 0;        ///< on held-out states: mean total variation, or mean squared error of the action
};

/// The best expansion in landmarks (P-greedy among the states) and the best in random Fourier features that a budget of
/// real numbers allows, the better of the two first: features win at small budgets in many dimensions, since they store
/// no centres. `states` (columns) are visited ones. Throws `out_of_range` for a budget that pays for no term.
/// O(N K^2 + K^3) for each length.
std::vector<KernelCandidate> kernel_candidates(const Policy& teacher, MatrixView<const double> states,
                                               std::size_t floats, const KernelOptions& options = {});
/// The first of them.
KernelCandidate make_kernel_embedding(const Policy& teacher, MatrixView<const double> states, std::size_t floats,
                                      const KernelOptions& options = {});

}  // namespace mercer

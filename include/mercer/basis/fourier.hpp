#pragma once

#include <complex>

#include "mercer/basis/basis.hpp"

namespace mercer {

/// The discrete Fourier transform of a real table over all its axes, all complex coefficients, as numpy.fft.fftn:
/// F[k] = sum_x table[x] exp(-2 pi i sum_d k_d x_d / n_d). O(N log N).
std::vector<std::complex<double>> fourier(const Table& table);

/// The real table of a spectrum: (1/N) sum_k F[k] exp(+2 pi i ...). The spectrum of a real table is conjugate
/// symmetric; of any other the symmetric part (F[k] + conj F[-k]) / 2 is used: the real part of what numpy gives.
Table inverse_fourier(std::span<const std::complex<double>> spectrum, std::vector<std::size_t> shape);

/// Fourier coefficients as real numbers, orthonormal, in a table of the same shape as the values:
/// at k the real part and at -k (mod shape) the imaginary part of sqrt(2/N) F[k], for the k that comes first in
/// row-major order; where k = -k the real number F[k] / sqrt(N). A pair is one term of two real parameters.
class FourierBasis final : public Basis {
 public:
  std::string name() const override { return "fourier"; }
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O(K + m per action frequency in use) a row, O(K) an entry.
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  std::size_t size() const override;
};

}  // namespace mercer

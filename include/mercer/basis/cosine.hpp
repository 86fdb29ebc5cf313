#pragma once

#include "mercer/basis/basis.hpp"

namespace mercer {

/// The orthonormal cosine transform (DCT-II) over all axes, as scipy.fft.dctn(norm="ortho"): per axis of length n
/// c[k] = sqrt((k == 0 ? 1 : 2) / n) sum_x table[x] cos(pi (2 x + 1) k / (2 n)). O(N log N).
Table cosine(const Table& table);
Table inverse_cosine(const Table& coefficients);

/// Cosines: the natural basis for axes that do not wrap around. Orthonormal; one real parameter a term.
class CosineBasis final : public Basis {
 public:
  std::string name() const override { return "dct"; }
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

#pragma once

#include "mercer/basis/wavelet.hpp"

namespace mercer {

/// The full periodised wavelet transform of every axis by itself, down to a single approximation: products of
/// one-dimensional wavelets of any two scales. Along an axis stand [a | d coarsest ... d finest].
///
/// Unlike those of `WaveletBasis`, all basis functions but the ones that are constant over the actions sum to zero
/// there: with the mean kept, truncated rows keep their mass. Orthonormal when every axis is a power of two; other
/// lengths are padded by their last entry where they are odd, which adds coefficients. low[i] = sum_k h[k] x[(2 i + k)
/// mod length].
class TensorWaveletBasis final : public Basis {
 public:
  explicit TensorWaveletBasis(std::string_view filter = "db4");
  ~TensorWaveletBasis() override;

  std::string name() const override;
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O((levels taps)^(d-1)) plus the kept coefficients that touch the row and O(m taps); an entry O((levels taps)^d).
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override;
  std::size_t size() const override;

 private:
  WaveletFilter filter_;
  std::shared_ptr<const std::vector<WaveletAxis>> axes_;
};

}  // namespace mercer

#pragma once

#include <optional>

#include "mercer/basis/basis.hpp"

namespace mercer {

struct WaveletPlan;
class WaveletAxis;

/// Taps of an orthonormal Daubechies filter pair, named as PyWavelets names them.
struct WaveletFilter {
  std::string name;
  std::vector<double> dec_lo, dec_hi, rec_lo, rec_hi;
};

/// "haar" (the same as "db1") or "db1" to "db10": dbN has N vanishing moments and 2 N taps, so db4 has 8.
WaveletFilter wavelet_filter(std::string_view name);

enum class WaveletMode {
  periodization,  ///< axes wrap around; an odd length repeats its last entry first. ceil(n / 2) per band
  symmetric,      ///< axes are mirrored at their ends. floor((n + taps - 1) / 2) per band: more numbers than entries
};

/// The depth that PyWavelets uses by default: floor(log2(shortest axis / (taps - 1))), at least 0. For db4 that is 0 on
/// an axis of 10, i.e. no transform at all, and 1 on 15.
std::size_t wavelet_default_level(std::span<const std::size_t> shape, const WaveletFilter& filter);

/// One band of a decomposition: `key` has a letter per axis, 'a' for low-pass and 'd' for high-pass, as in PyWavelets'
/// dwtn; in two dimensions "da" is cH, "ad" is cV and "dd" is cD. Level 1 is the finest.
struct WaveletBand {
  std::size_t level = 0;
  std::string key;
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// A multilevel decomposition over all axes, as PyWavelets' wavedecn: the coarsest approximation first, then the
/// details from coarse to fine, in each level those with axis 0 high-pass first (cH, cV, cD). O(N taps). `level` unset:
/// `wavelet_default_level`. Legal: 0 to 40; where axes are shorter than the filter they wrap repeatedly.
struct WaveletDecomposition {
  std::vector<std::size_t> shape;  ///< of the table
  std::vector<WaveletBand> bands;
};
WaveletDecomposition wavelet(const Table& table, const WaveletFilter& filter,
                             WaveletMode mode = WaveletMode::periodization,
                             std::optional<std::size_t> level = std::nullopt);
Table inverse_wavelet(const WaveletDecomposition& decomposition, const WaveletFilter& filter,
                      WaveletMode mode = WaveletMode::periodization);

struct WaveletOptions {
  std::string filter = "db4";
  WaveletMode mode = WaveletMode::periodization;
  std::optional<std::size_t> level;  ///< 0 to 40; unset: as deep as PyWavelets would go, but at least 1
};

/// Wavelet coefficients: all bands one after the other in the order of `WaveletDecomposition`. Orthonormal when
/// periodised and every axis halves evenly at each level; otherwise there are more coefficients than entries and
/// energies of dropped terms only estimate the error.
class WaveletBasis final : public Basis {
 public:
  explicit WaveletBasis(WaveletOptions options = {});
  ~WaveletBasis() override;

  std::string name() const override;
  void train(const Table& table, std::span<const double> row_weights = {}) override;
  std::vector<double> apply(std::span<const double> table) const override;
  std::vector<double> reverse(std::span<const double> coefficients) const override;
  std::vector<Term> terms(std::span<const double> coefficients) const override;
  /// O(levels taps^(d-1)) plus the kept coefficients that touch the row; an entry O(levels taps^d).
  std::unique_ptr<RowEvaluator> evaluator(std::span<const double> coefficients,
                                          std::span<const std::size_t> kept) const override;
  bool orthonormal() const override;
  std::size_t size() const override;
  std::size_t level() const;  ///< the depth in use, after `train`

 private:
  WaveletOptions options_;
  WaveletFilter filter_;
  std::shared_ptr<const WaveletPlan> plan_;
};

}  // namespace mercer

#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "mercer/basis.hpp"

namespace mercer {

/// One level of a wavelet transform along one axis: `length` entries become `half` low-pass and `half` high-pass ones.
/// Arrays are outer x axis x inner, row-major; the transformed axis holds the low-pass half first.
class WaveletStep {
 public:
  WaveletStep(const WaveletFilter& filter, WaveletMode mode, std::size_t length);
  /// Periodised, but low[i] = sum_k rec_lo[k] x[(2 i + k) mod length]: begins at the entry, not half a filter before
  /// it.
  static WaveletStep aligned(const WaveletFilter& filter, std::size_t length);

  std::size_t length() const { return length_; }
  std::size_t half() const { return half_; }

  /// in: outer x length x inner; out: outer x 2 half x inner.
  void analyse(const double* in, double* out, std::size_t outer, std::size_t inner) const;
  /// Rows of a contiguous axis; `places(row)` says where the low-pass and the high-pass half of each row go.
  struct Places {
    double *low, *high;
  };
  using PlacesOf = std::function<Places(std::size_t)>;
  void analyse_rows(const double* in, std::size_t rows, const PlacesOf& places) const;
  /// This axis and then the rows inside it, without an array of what lies between: in is outer x length x
  /// along.length().
  void analyse_with_rows(const WaveletStep& along, const double* in, std::size_t outer, const PlacesOf& places) const;
  void synthesise(const double* in, double* out, std::size_t outer, std::size_t inner) const;

  /// Visits (index, low, high) such that entry `position` is sum low * low-pass[index] + high * high-pass[index]. An
  /// index may come twice where the filter is longer than the axis.
  template <class Visit>
  void for_each_tap(std::size_t position, Visit visit) const {
    const std::size_t taps = dec_lo_.size();
    for (std::size_t tap = (position + shift_) % 2; tap < taps; tap += 2) {
      visit(coefficient(position, tap), dec_lo_[tap], dec_hi_[tap]);
    }
  }

 private:
  WaveletStep(const WaveletFilter& filter, bool periodic, std::size_t shift, std::size_t length);

  void combine_rows(const double* from, std::size_t o, std::size_t inner, Places to) const;
  void analyse_row(const double* from, std::vector<double>& apart, Places to) const;
  // The coefficient that meets entry `position` through tap number `tap`.
  std::size_t coefficient(std::size_t position, std::size_t tap) const {
    const auto half = static_cast<std::ptrdiff_t>(half_);
    const auto place = (static_cast<std::ptrdiff_t>(position + tap) - static_cast<std::ptrdiff_t>(shift_)) / 2 % half;
    return static_cast<std::size_t>(place < 0 ? place + half : place);
  }

  std::size_t length_, half_, shift_;
  std::vector<double> dec_lo_, dec_hi_, rec_lo_, rec_hi_;
  std::vector<std::size_t> source_;  // the entry at each place of the extended axis
};

/// Where the bands of a decomposition lie, one after the other, in one array of coefficients: the approximation, then
/// the details from the coarsest level to the finest, in each level by rising `high`.
struct WaveletPlan {
  struct Band {
    std::size_t level;  // 1 is the finest; the approximation has the coarsest
    unsigned high;      // bit d: high-pass along axis d; 0 only for the approximation
    std::vector<std::size_t> shape;
    std::size_t offset, size;
  };

  WaveletPlan(std::vector<std::size_t> table_shape, const WaveletFilter& filter, WaveletMode mode, std::size_t levels);

  std::size_t levels() const { return steps.size(); }
  /// The table's shape for level 0, the shape of each band of a level otherwise.
  std::vector<std::size_t> shape_at(std::size_t level) const;

  /// Where in `bands` a detail stands (`high` is not 0).
  std::size_t detail(std::size_t level, unsigned high) const {
    return (levels() - level) * ((std::size_t{1} << shape.size()) - 1) + high;
  }

  void decompose(std::span<const double> table, std::span<double> coefficients) const;
  /// The same, with a place of its own for each band.
  void decompose(std::span<const double> table, std::span<double* const> targets) const;
  void reconstruct(std::span<const double> coefficients, std::span<double> table) const;

  std::vector<std::size_t> shape;
  std::vector<std::vector<WaveletStep>> steps;  // [level - 1][axis]
  std::vector<Band> bands;
  std::size_t size = 0;
};

/// Throws `out_of_range` for a level that no table has.
void check_wavelet_level(std::size_t level);

/// Values from kept wavelet coefficients. At one place of an axis only a filter's length of wavelets of each level is
/// not zero; a row gathers the kept coefficients that those meet and is then synthesised along the columns.
class WaveletRows final : public RowEvaluator {
 public:
  WaveletRows(std::shared_ptr<const WaveletPlan> plan, std::span<const double> coefficients,
              std::span<const std::size_t> kept);

  void row(std::size_t row, std::span<double> out) const override;
  double entry(std::size_t row, std::size_t column) const override;

 private:
  // Kept coefficients of a band, by rows of the band.
  struct KeptBand {
    std::size_t level;
    unsigned high;
    std::vector<std::size_t> shape;
    std::vector<std::uint32_t> row_begin;  // one more than there are rows
    std::vector<std::uint32_t> columns;
    std::vector<double> values;
  };
  struct Scratch;
  static Scratch& scratch();
  void find_leading(std::size_t row, Scratch& own) const;
  template <class Visit>
  void for_each_band_row(const KeptBand& band, const Scratch& own, Visit visit) const;

  std::shared_ptr<const WaveletPlan> plan_;
  std::vector<KeptBand> bands_;
};

}  // namespace mercer

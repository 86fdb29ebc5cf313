#pragma once

#include <functional>

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

}  // namespace mercer

#pragma once

#include <cstdint>
#include <memory>

#include "basis/table/wavelet_plan.hpp"

namespace mercer {

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

#pragma once

#include "basis/table/wavelet_step.hpp"

namespace mercer {

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

}  // namespace mercer

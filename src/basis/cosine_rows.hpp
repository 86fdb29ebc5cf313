#pragma once

#include "basis/turns.hpp"
#include "mercer/basis/basis.hpp"

namespace mercer {

/// Sums of kept cosine terms, grouped by their frequency along the columns as in `FourierRows`.
class CosineRows final : public RowEvaluator {
 public:
  CosineRows(std::vector<std::size_t> shape, std::span<const double> coefficients, std::span<const std::size_t> kept);

  void row(std::size_t row, std::span<double> out) const override;
  double entry(std::size_t row, std::size_t column) const override;

 private:
  struct Group {
    std::size_t frequency;
    std::size_t begin, end;  // of its terms
  };
  double sum(const Group& group, std::size_t row) const;

  std::vector<std::size_t> shape_;
  std::vector<Turns> turns_;  // of each axis: cos(pi (2x+1) k / 2n) is a multiple of a turn's 4n-th
  std::vector<Group> groups_;
  std::vector<double> amplitudes_;
  std::vector<std::vector<std::uint32_t>> frequencies_;  // of each leading axis, for each term
  std::vector<double> cosines_;                          // of each group at each column
};

}  // namespace mercer

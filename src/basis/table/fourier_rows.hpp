#pragma once

#include "basis/table/roots_of_unity.hpp"
#include "mercer/basis.hpp"

namespace mercer {

/// For each row of a table (a frequency of the leading axes) the row of the opposite frequency.
std::vector<std::size_t> opposite_rows(std::span<const std::size_t> shape);

/// Sums of kept Fourier terms: value(x) = sum_i Re(amplitude_i exp(2 pi i (leading phase + column phase))).
///
/// Terms are grouped by their frequency along the columns: a row first sums the terms of a group at its place on the
/// leading axes, and only the group's sum meets the columns.
class FourierRows final : public RowEvaluator {
 public:
  FourierRows(std::vector<std::size_t> shape, std::span<const double> coefficients, std::span<const std::size_t> kept);

  void row(std::size_t row, std::span<double> out) const override;
  double entry(std::size_t row, std::size_t column) const override;

 private:
  struct Group {
    std::size_t frequency;
    std::size_t begin, end;  // of its terms
  };
  struct Sum {
    double real = 0, imaginary = 0;
  };
  Sum sum(const Group& group, std::size_t row) const;

  std::vector<std::size_t> shape_;
  std::vector<RootsOfUnity> turns_;  // of each axis
  std::vector<Group> groups_;
  std::vector<double> real_, imaginary_;                 // amplitudes
  std::vector<std::vector<std::uint32_t>> frequencies_;  // of each leading axis, for each term
  std::vector<double> cosines_, sines_;                  // of each group at each column
};

}  // namespace mercer

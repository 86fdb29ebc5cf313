#pragma once

#include <vector>

#include "mercer/basis/basis.hpp"

namespace mercer {

/// Rows of centre + left * right from the stored factors: O(rank columns) a row, O(rank) an entry.
class FactorRows final : public RowEvaluator {
 public:
  /// `numbers`: left (rows x rank), then right (rank x columns), rank * (rows + columns) in all.
  FactorRows(std::vector<float> numbers, std::size_t rows, std::size_t columns, std::size_t rank, double centre)
      : numbers_(std::move(numbers)), rows_(rows), columns_(columns), rank_(rank), centre_(centre) {}

  void row(std::size_t row, std::span<double> out) const override {
    for (double& value : out) value = centre_;
    for (std::size_t i = 0; i < rank_; ++i) {
      const double left = numbers_[row * rank_ + i];
      const float* const right = this->right() + i * columns_;
      for (std::size_t c = 0; c < columns_; ++c) out[c] += left * right[c];
    }
  }
  double entry(std::size_t row, std::size_t column) const override {
    double value = centre_;
    for (std::size_t i = 0; i < rank_; ++i) {
      value += static_cast<double>(numbers_[row * rank_ + i]) * right()[i * columns_ + column];
    }
    return value;
  }

 private:
  const float* right() const { return numbers_.data() + rows_ * rank_; }

  std::vector<float> numbers_;
  std::size_t rows_, columns_, rank_;
  double centre_;
};

}  // namespace mercer

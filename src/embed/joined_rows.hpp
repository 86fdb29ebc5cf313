#pragma once

#include <memory>

#include "mercer/basis/basis.hpp"

namespace mercer {

/// Rows that are made of several rows of another evaluator, one after the other: where actions have more than one axis,
/// a basis calls the last of them a row.
class JoinedRows final : public RowEvaluator {
 public:
  /// A row is `count` rows of `columns` each.
  JoinedRows(std::shared_ptr<const RowEvaluator> parts, std::size_t count, std::size_t columns)
      : parts_(std::move(parts)), count_(count), columns_(columns) {}

  void row(std::size_t row, std::span<double> out) const override {
    for (std::size_t p = 0; p < count_; ++p) parts_->row(row * count_ + p, out.subspan(p * columns_, columns_));
  }
  double entry(std::size_t row, std::size_t column) const override {
    return parts_->entry(row * count_ + column / columns_, column % columns_);
  }

 private:
  std::shared_ptr<const RowEvaluator> parts_;
  std::size_t count_, columns_;
};

}  // namespace mercer

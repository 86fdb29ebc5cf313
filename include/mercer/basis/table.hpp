#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// A table of doubles with any number of axes, row-major: the last axis is contiguous. A *row* is the last axis (the
/// actions) at one index of all axes before it (the states); rows are counted in row-major order.
struct Table {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  std::size_t columns() const { return shape.back(); }
  std::size_t rows() const { return values.size() / shape.back(); }
  MatrixView<double> matrix() { return {values.data(), rows(), columns()}; }
  MatrixView<const double> matrix() const { return {values.data(), rows(), columns()}; }
};

/// Number of entries of a table of this shape. Throws `shape_mismatch` for no axes, an empty axis or more than 8 axes,
/// `too_large` beyond 2^40 entries.
std::size_t table_size(std::span<const std::size_t> shape);

/// Throws `shape_mismatch` unless the shape is legal and has as many entries as there are values, and `not_finite` for
/// NaN and infinity. `what` names the table in the message.
void check_table(std::string_view what, std::span<const std::size_t> shape, std::span<const double> values);

/// Throws `shape_mismatch` unless there are `needed` values.
void check_count(std::string_view what, std::size_t given, std::size_t needed);

/// Throws `not_finite` for NaN and infinity, naming the first.
void check_finite(std::string_view what, std::span<const double> values);

}  // namespace mercer

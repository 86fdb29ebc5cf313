#pragma once

#include <cmath>
#include <cstddef>

#include "mercer/matrix_view.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// Equal cells on [-1, 1]^dimensions, numbered with the last dimension running fastest.
struct ActionGrid {
  /// Throws `out_of_range` unless there are one to three dimensions.
  explicit ActionGrid(std::size_t dimensions);

  std::size_t dimensions;
  std::size_t side;   ///< cells along each dimension
  std::size_t count;  ///< of all cells
  double width;       ///< of a cell

  std::size_t stride(std::size_t dimension) const;
  std::size_t index(std::size_t cell, std::size_t dimension) const { return cell / stride(dimension) % side; }
  double middle(std::size_t cell, std::size_t dimension) const {
    return -1 + width * (static_cast<double>(index(cell, dimension)) + 0.5);
  }
};

/// values(0, c) = q(observation, centre + size * middle of cell c), limited to [-1, 1], for one state: column `state`
/// of `observation`. `input` is scratch memory with a row for each observation and action and a column for each cell.
void evaluate_on_grid(const BatchFunction& q, const ActionGrid& grid, MatrixView<const double> observation,
                      std::size_t state, const double* centre, double size, MatrixView<double> input,
                      MatrixView<double> values);

}  // namespace mercer

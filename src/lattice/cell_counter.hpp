#pragma once

#include <vector>

#include "mercer/lattice.hpp"

namespace mercer {

/// Counts the visits of cells when points come in pieces, of which only the cells are kept: the same `Cells` as all
/// points at once give, in any order of pieces.
///
/// Sorted runs are merged when they have become about as long as the next: O(log pieces) for each cell of each piece,
/// and at most about three times the memory of the cells.
class CellCounter {
 public:
  explicit CellCounter(Grid grid) : grid_(std::move(grid)) {}

  /// Columns of `points`, as `Cells` takes them. Throws as it does.
  void add(MatrixView<const double> points) { add(Cells(grid_, points)); }
  void add(Cells part);
  /// All cells so far; nothing is left here.
  Cells take();

 private:
  void merge_last();

  Grid grid_;
  std::vector<Cells> runs_;
};

}  // namespace mercer

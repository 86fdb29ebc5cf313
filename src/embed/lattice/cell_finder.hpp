#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "mercer/lattice.hpp"

namespace mercer {

/// Finds the visited cell whose middle is nearest to a point, by Euclidean distance in units of each axis' range; the
/// first of equals. A k-d tree: about O(log cells) in few dimensions, O(cells) at worst. Up to 64 dimensions.
class NearestCell {
 public:
  explicit NearestCell(const Cells& cells);

  /// Allocates nothing.
  std::size_t find(const double* point, std::size_t stride) const;

  struct Tree;

 private:
  std::shared_ptr<const Tree> tree_;
};

/// Finds the row of a state: that of its cell, or of the nearest visited one.
class CellFinder {
 public:
  /// `nearest`: what to do for cells that were not visited; otherwise they have no row. Where the grid has at most
  /// `most_mapped` cells a map of all of them spares the search among the visited ones.
  CellFinder(std::shared_ptr<const Cells> cells, bool nearest, std::size_t most_mapped);

  /// `Cells::none` where there is no row.
  std::size_t find(const double* point, std::size_t stride) const {
    const std::size_t row = rows_.empty() ? cells_->find(point, stride) : look_up(point, stride);
    return row != Cells::none || !nearest_ ? row : nearest_->find(point, stride);
  }

 private:
  static constexpr std::uint32_t unvisited = 0xffffffff;
  std::size_t look_up(const double* point, std::size_t stride) const {
    std::size_t cell = 0;
    for (const Edges& axis : cells_->grid().axes) {
      cell = cell * axis.bins() + axis.bin(*point);
      point += stride;
    }
    return rows_[cell] == unvisited ? Cells::none : rows_[cell];
  }

  std::shared_ptr<const Cells> cells_;
  std::vector<std::uint32_t> rows_;  // of every cell of the grid; empty: too many
  std::optional<NearestCell> nearest_;
};

}  // namespace mercer

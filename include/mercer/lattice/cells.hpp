#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "mercer/core/matrix_view.hpp"
#include "mercer/lattice/edges.hpp"

namespace mercer {

/// A product of bins, numbered with the last dimension running fastest.
struct Grid {
  std::vector<Edges> axes;

  std::size_t dimensions() const { return axes.size(); }
  /// The number of cells, as a double: it may be beyond any integer.
  double cells() const;
  /// Bin along a dimension of cell number `cell`.
  std::size_t bin(std::size_t cell, std::size_t dimension) const;
};

/// Number of a cell in a grid.
using Key64 = std::uint64_t;
__extension__ using Key128 = unsigned __int128;

/// Cells of a grid that were visited, sorted by their number, with how often.
///
/// Numbers take 64 bits where the product of all bins fits, 128 where it does not (35 bins in 20 dimensions need 103).
/// Looking one up costs O(dimensions log bins + log visited) and allocates nothing.
class Cells {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Counts the columns of `points`, one row for each dimension, on all allowed threads. Throws `too_large` when even
  /// 128 bits do not number the cells, `shape_mismatch` when the dimensions differ.
  Cells(const Grid& grid, MatrixView<const double> points);
  /// From known cells: bin indices, one row of `grid.dimensions()` for each, and their counts.
  Cells(const Grid& grid, std::span<const std::uint32_t> indices, std::vector<std::uint64_t> counts);

  const Grid& grid() const { return grid_; }
  std::size_t size() const { return counts_.size(); }
  bool wide() const { return std::holds_alternative<std::vector<Key128>>(keys_); }
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t visits() const { return visits_; }

  /// The place of a point's cell among the visited ones, or `none`. `point` has `stride` between its coordinates.
  std::size_t find(const double* point, std::size_t stride = 1) const;
  /// Bin of cell `place` along a dimension.
  std::size_t bin(std::size_t place, std::size_t dimension) const;
  /// Middle of a cell along a dimension.
  double centre(std::size_t place, std::size_t dimension) const {
    return grid_.axes[dimension].centre(bin(place, dimension));
  }

  /// Its number in the grid.
  Key128 key(std::size_t place) const;

  /// The cells of both, which are of one grid, with their counts added. O(cells). Throws `shape_mismatch`.
  static Cells merged(const Cells& first, const Cells& second);
  /// Numbers and counts for another process of the same build that knows the grid. `from_bytes` throws `corrupt_file`.
  std::string to_bytes() const;
  static Cells from_bytes(const Grid& grid, const std::string& bytes);

  /// Only the cells that hold more than the fraction `threshold` of all visits, in [0, 1).
  Cells pruned(double threshold) const;

 private:
  using Keys = std::variant<std::vector<Key64>, std::vector<Key128>>;
  Cells(Grid grid, Keys keys, std::vector<std::uint64_t> counts);

  Grid grid_;
  Keys keys_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t visits_ = 0;
};

}  // namespace mercer

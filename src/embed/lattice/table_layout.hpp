#pragma once

#include <vector>

#include "mercer/basis.hpp"
#include "mercer/lattice.hpp"

namespace mercer {

/// The shape of the table that a basis sees, and where the rows of a lattice stand in it.
struct TableLayout {
  std::vector<std::size_t> shape;
  std::vector<std::size_t> places;  ///< of each row of the lattice among those of the table
  std::size_t rows = 0;             ///< of the table: more than there are places where it is a whole lattice
  std::size_t columns = 0;

  bool has_gaps() const { return rows > places.size(); }
};

/// Rows as a list: order[i] is the row that stands in place i.
TableLayout list_layout(const std::vector<std::size_t>& order, std::size_t columns);

/// Rows at their cells of the whole lattice: an axis for each dimension of states and actions. Throws `too_large`
/// beyond 2.5e7 entries or eight axes.
TableLayout axes_layout(const Cells& cells, const Grid& actions);

/// The table with every row in its place. What no row stands for is a copy of the nearest row, by steps from cell to
/// cell.
Table spread(const PolicyTable& rows, const TableLayout& layout);

/// The rows back from their places; `values` as the layout's table has them.
std::vector<double> gather(std::span<const double> values, const TableLayout& layout);

}  // namespace mercer

#pragma once

#include <vector>

#include "embed/payload/lattice_code.hpp"
#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"
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

/// The fewest coefficients that keep the share `energy` (0 to 1, exclusive) of all energy but the mean's.
std::size_t k_for_energy(const Truncation& truncation, double energy);

/// What a table had before K of it was kept, and what those cost.
struct KeptTable {
  double energy = 0;  ///< of all coefficients
  ParameterCount parameters;
};

/// Trains the basis of `options` on the table of `lattice`, chooses K and fills the order of rows, K and what is kept
/// into `code`, whose basis is there. Throws `out_of_range` for K, `bad_value` for svd on axes.
KeptTable truncate_table(const Lattice& lattice, const TruncationOptions& options, std::uint64_t seed,
                         LatticeCode& code);

/// What the SVD of a table with so many columns has taken off every entry.
double svd_centre(const SvdOptions& svd, std::size_t columns);

}  // namespace mercer

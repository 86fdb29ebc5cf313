#pragma once

#include "embed/lattice/large_grids.hpp"
#include "io/mapped_table.hpp"
#include "mercer/basis.hpp"

namespace mercer {

/// The table of a large lattice, of which this process holds the rows of its chains, in a scratch file.
struct LargeTable {
  std::shared_ptr<const Cells> cells;
  Grid actions;
  std::size_t columns = 0;
  RowBlocks cut;            ///< of rows: follows from the size of the table alone
  Share own{0, 0};          ///< rows of this process
  MappedTable values;       ///< of those rows
  SvdOptions svd;           ///< what of each row is factored
  double whole_energy = 0;  ///< sum of the squares of all entries, off the centre of the SVD
};

/// Asks the teacher.
LargeTable make_large_table(const Policy& teacher, const LargeGrids& grids, Cells cells, const LargeOptions& options,
                            const Team& team, const Progress& progress);

/// All that can be had: singular values and right vectors, as many as the table has columns (or rows, if fewer).
RowSvd factor(const LargeTable& table, const Team& team);

/// The left factor times the singular values, for the first k of them, of this process's rows: what files keep.
MappedTable left_factor(const LargeTable& table, const RowSvd& factors, const std::filesystem::path& scratch,
                        const Team& team);

/// How far the rows are from what the kept factors make of them.
struct LargeLoss {
  LatticeDistance distance;
  std::size_t empty_rows = 0;
};
LargeLoss measure_loss(const LargeTable& table, const MappedTable& left, std::span<const float> right,
                       SimplexRule simplex, const Team& team, const Progress& progress);

/// Rows of all processes in process 0, block by block; the others get an empty table.
MappedTable collect_rows(MappedTable own, const LargeTable& table, const std::filesystem::path& scratch,
                         const Team& team);

}  // namespace mercer

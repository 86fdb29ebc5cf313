#include "embed/lattice/cell_finder.hpp"

namespace mercer {

CellFinder::CellFinder(std::shared_ptr<const Cells> cells, bool nearest, std::size_t most_mapped)
    : cells_(std::move(cells)) {
  const Grid& grid = cells_->grid();
  if (nearest && static_cast<double>(cells_->size()) < grid.cells()) nearest_.emplace(*cells_);
  if (grid.cells() > static_cast<double>(most_mapped)) return;
  rows_.assign(static_cast<std::size_t>(grid.cells()), unvisited);
  for (std::size_t row = 0; row < cells_->size(); ++row) {
    std::size_t cell = 0;
    for (std::size_t d = 0; d < grid.dimensions(); ++d) cell = cell * grid.axes[d].bins() + cells_->bin(row, d);
    rows_[cell] = static_cast<std::uint32_t>(row);
  }
}

}  // namespace mercer

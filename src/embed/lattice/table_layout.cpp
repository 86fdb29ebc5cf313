#include "embed/lattice/table_layout.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

// The row nearest to every place: waves that start at all rows at once and go on cell by cell.
std::vector<std::size_t> nearest_rows(const TableLayout& layout) {
  std::vector<std::size_t> nearest(layout.rows, nobody), wave = layout.places;
  for (std::size_t r = 0; r < layout.places.size(); ++r) nearest[layout.places[r]] = r;
  for (std::size_t next = 0; next < wave.size(); ++next) {
    const std::size_t here = wave[next];
    const auto reach = [&](std::size_t place) {
      if (nearest[place] != nobody) return;
      nearest[place] = nearest[here];
      wave.push_back(place);
    };
    std::size_t step = layout.rows;
    for (std::size_t axis = 0; step > 1; ++axis) {
      const std::size_t length = layout.shape[axis];
      step /= length;
      const std::size_t bin = here / step % length;
      if (bin > 0) reach(here - step);
      if (bin + 1 < length) reach(here + step);
    }
  }
  return nearest;
}

}  // namespace

TableLayout list_layout(const std::vector<std::size_t>& order, std::size_t columns) {
  TableLayout layout{{order.size(), columns}, std::vector<std::size_t>(order.size()), order.size(), columns};
  for (std::size_t i = 0; i < order.size(); ++i) layout.places[order[i]] = i;
  return layout;
}

TableLayout axes_layout(const Cells& cells, const Grid& actions) {
  constexpr double most_entries = 2.5e7;
  constexpr std::size_t most_axes = 8;
  const double entries = cells.grid().cells() * actions.cells();
  const std::size_t axes = cells.grid().dimensions() + actions.dimensions();
  if (entries > most_entries || axes > most_axes) {
    throw Error(ErrorCode::too_large,
                fmt::format("the order of rows 'axes' needs the whole lattice, {:.3g} entries on {} axes; legal: up to "
                            "{:.3g} on {}",
                            entries, axes, most_entries, most_axes),
                "Take fewer bins, or another order of rows");
  }
  TableLayout layout;
  layout.rows = static_cast<std::size_t>(cells.grid().cells());
  layout.columns = static_cast<std::size_t>(actions.cells());
  for (const Grid* grid : {&cells.grid(), &actions}) {
    for (const Edges& axis : grid->axes) layout.shape.push_back(axis.bins());
  }
  for (std::size_t c = 0; c < cells.size(); ++c) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < cells.grid().dimensions(); ++d) place = place * layout.shape[d] + cells.bin(c, d);
    layout.places.push_back(place);
  }
  return layout;
}

Table spread(const PolicyTable& rows, const TableLayout& layout) {
  Table table{layout.shape, {}};
  table.values.reserve(layout.rows * layout.columns);
  for (const std::size_t row : nearest_rows(layout)) {
    table.values.insert(table.values.end(), rows.row(row).begin(), rows.row(row).end());
  }
  return table;
}

std::vector<double> gather(std::span<const double> values, const TableLayout& layout) {
  std::vector<double> rows;
  rows.reserve(layout.places.size() * layout.columns);
  for (const std::size_t place : layout.places) {
    const auto row = values.subspan(place * layout.columns, layout.columns);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace mercer

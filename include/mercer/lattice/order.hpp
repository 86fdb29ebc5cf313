#pragma once

#include <string_view>
#include <vector>

#include "mercer/lattice/table.hpp"

namespace mercer {

/// The order in which the rows of a pruned table stand. A transform along the rows sees neighbours in that order, so it
/// changes how well few coefficients do.
enum class RowOrder {
  lexicographic,  ///< by cell number: as printed
  snake,  ///< every other run of the last dimensions backwards, so that neighbours in the order are neighbours in space
  tour,   ///< each time the nearest row not yet visited, by Euclidean distance of bin indices; ties to the lower number
  mean_action,  ///< by the mean of the first action dimension (the index of discrete ones), ties by cell number
  axes,  ///< no list: the whole lattice with one axis for each dimension. Among themselves rows stand by cell number
};

/// "lexicographic", "snake", "tour", "mean-action", "axes". Throws `unknown_name` with the nearest one.
RowOrder parse_row_order(std::string_view text);

/// order[i] = the row (by cell number) that stands in place i. O(rows log rows); the tour O(rows^2) at worst, with rows
/// limited to 200,000 (`too_large` beyond).
std::vector<std::size_t> order_rows(const Cells& cells, const PolicyTable& table, const Grid& actions, RowOrder order);

}  // namespace mercer

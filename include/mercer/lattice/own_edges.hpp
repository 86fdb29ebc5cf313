#pragma once

#include <vector>

#include "mercer/lattice/cells.hpp"
#include "mercer/rollout/rollouts.hpp"

namespace mercer {

/// Action edges conditional on the state: some rows of a table have their own, with as many bins as the common grid.
struct OwnEdges {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::vector<std::size_t> places = {};  ///< of each row in `grids`, or `none`; empty: no row has its own
  std::vector<Grid> grids = {};

  bool empty() const { return grids.empty(); }
  /// The grid of a row. Rows beyond the last, and those without their own, have the common one.
  const Grid& of(std::size_t row, const Grid& common) const {
    return row < places.size() && places[row] != none ? grids[places[row]] : common;
  }
  /// How many edges there are in all.
  std::size_t numbers() const;
  /// Throws `shape_mismatch` unless there is a place for each of `rows` rows and every grid has the common one's bins.
  void check(std::size_t rows, const Grid& common) const;
};

/// Edges of each action dimension in each cell by `rule`, from the actions that were played there, in single precision.
/// A dimension keeps the common edges where fewer different actions were played than there are edges, or where bins
/// collapse; a row that keeps all of them has none of its own. With `common_ends` the bins at the ends reach as far as
/// the common ones. O(steps log steps). Throws `shape_mismatch` when rollouts and cells do not fit.
OwnEdges make_own_edges(const Rollouts& rollouts, const Cells& cells, const Grid& common, const EdgeRule& rule,
                        bool common_ends);

}  // namespace mercer

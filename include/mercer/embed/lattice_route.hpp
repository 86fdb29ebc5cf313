#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/embed/lattice_policy.hpp"
#include "mercer/lattice/order.hpp"
#include "mercer/rollout/rollouts.hpp"

namespace mercer {

/// How a policy becomes a lattice policy. `paper_lattice` and `best_lattice` give the two sets that are meant.
struct LatticeOptions {
  std::vector<std::size_t> state_bins{35};   ///< one number for all dimensions or one for each, 1 to 2^20
  std::vector<std::size_t> action_bins{15};  ///< the same; discrete actions have one bin each
  EdgeRule state_edges{};
  EdgeRule action_edges{};
  bool reach_bounds = false;         ///< the action bins at the ends reach to the bounds of the action space
  bool conditional_actions = false;  ///< each cell has action edges from the actions played there, where they suffice
  TableRule table = TableRule::mass;
  double prune = 0;   ///< cells with at most this fraction of all visits are left out, 0 to 1 (exclusive)
  bool full = false;  ///< every cell of the lattice, visited or not, up to 10^7: the teacher is asked everywhere
  LatticePlay playing{};
};

/// The choices of the published experiments: quantile edges, densities at bin centres without their widths, actions
/// that are bin centres, unvisited cells uniform.
LatticeOptions paper_lattice();
/// The better choice at every step: even state bins, 45 even action bins that reach the bounds, exact bin masses,
/// actions drawn inside their bins, unvisited cells as the nearest visited one.
LatticeOptions best_lattice();

/// A teacher on a lattice.
struct Lattice {
  std::shared_ptr<const Cells> cells;
  Grid actions;
  OwnEdges own;  ///< rows with action edges of their own
  PolicyTable table;
  std::size_t collapsed_bins = 0;  ///< bins that ties in the data left out, over all dimensions

  /// Share of all cells that are not kept, in percent.
  double pruned_percent() const;
  /// Visits of the kept cells, as row weights.
  std::vector<double> visits() const;
};

/// Discretises states and actions by what the teacher met in `rollouts` (steps kept), prunes what it never visited and
/// tabulates it. A dimension of states that holds few whole numbers has a bin for each (`whole_number_edges`). Throws
/// `shape_mismatch` when rollouts or bins do not fit the teacher, `too_large` for a full lattice beyond 10^7 cells,
/// `bad_value` for conditional edges of discrete actions, and what the steps throw.
Lattice make_lattice(const Policy& teacher, const Rollouts& rollouts, const LatticeOptions& options);

/// What a policy on a lattice of this teacher takes in and gives out: raw observations, the task's own actions.
Contract lattice_contract(const Policy& teacher);

/// The lattice as a policy, with its own table or another of the same shape (a truncated one).
LatticePolicy lattice_policy(std::string name, const Policy& teacher, const Lattice& lattice, PolicyTable table,
                             const LatticePlay& playing);

}  // namespace mercer

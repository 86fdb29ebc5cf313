#pragma once

#include <vector>

#include "mercer/lattice/cells.hpp"
#include "mercer/lattice/own_edges.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/rollouts.hpp"

namespace mercer {

/// pi[cell][action bin]: what a policy does in each visited cell of states, as probabilities of the cells of an action
/// grid (numbered with the last dimension running fastest; the actions themselves where they are discrete).
struct PolicyTable {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<double> pi;        ///< row-major; every row sums to one
  std::size_t rows_without = 0;  ///< rows where the rule gave nothing at all, and which are uniform instead

  std::span<const double> row(std::size_t index) const { return std::span(pi).subspan(index * cols, cols); }
  std::span<double> row(std::size_t index) { return std::span(pi).subspan(index * cols, cols); }
};

/// How the entries follow from the policy.
enum class TableRule {
  centre,  ///< density at the middle of the action bin, normalised: as printed, without the bins' widths
  mass,    ///< the probability of the action bin, tails added to the bins at the ends
  counts,  ///< how often the action bin was played in the cell: N(s, a) / N(s), as the printed pruning formula has it
};

/// The actions' grid. Discrete actions have one bin each, with the whole numbers as centres.
Grid discrete_action_grid(std::size_t count);

/// The table of `policy` at the middles of `cells`, by rule `centre` or `mass`; the columns of a row with edges of its
/// own are the bins of those. The mass of a bin comes from the
/// policy's distribution function where it has one, else from 8 Gauss-Legendre points along each dimension of each bin,
/// normalised (exactly what the policy does where actions are discrete). Throws `shape_mismatch`, `bad_value` for
/// `counts`, and what the policy throws when it has no density.
PolicyTable tabulate(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule,
                     const OwnEdges& own = {});

/// Rows [begin, end) of that table, on this thread alone: `out` has as many rows and a column for each action cell.
/// Returns how many had nothing at all and are uniform. Throws `out_of_range` for rows that are none, too.
std::size_t tabulate_rows(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule,
                          std::size_t begin, std::size_t end, std::span<double> out);

/// The table of counts: rows of observations and actions as they were played.
PolicyTable count_actions(const Rollouts& rollouts, const Cells& cells, const Grid& actions, const OwnEdges& own = {});

}  // namespace mercer

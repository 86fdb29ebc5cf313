#pragma once

#include <memory>

#include "mercer/basis/basis.hpp"
#include "mercer/basis/simplex.hpp"
#include "mercer/embed/acting.hpp"
#include "mercer/lattice/table.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// What a lattice policy does in a state whose cell was never visited.
enum class Unvisited {
  uniform,  ///< every action cell equally likely: as printed
  nearest,  ///< what it does in the nearest visited cell, by Euclidean distance in units of the visited range
};

/// How a table is played.
struct LatticePlay {
  Unvisited unvisited = Unvisited::nearest;
  bool noise = true;  ///< an action is drawn uniformly inside its bin; otherwise it is the bin's middle, as printed
};

/// A table whose rows are computed when they are asked for.
struct CoefficientTable {
  std::shared_ptr<const RowEvaluator> evaluator;
  std::size_t columns = 0;
  std::vector<std::uint32_t> place;  ///< of each cell's row among the evaluator's
  SimplexRule simplex = SimplexRule::clip;
};

class ActionRows;
class CellFinder;

/// Acts from a table: finds the cell of the state, draws a cell of the action grid from its row.
///
/// With noise the policy has a density, the row's entry divided by the volume of the bin. Without it actions are atoms,
/// the middles of the bins, and `log_prob` is the logarithm of an atom's probability, minus infinity elsewhere.
/// Discrete actions are atoms always. A draw costs O(observations log bins + log cells) and what `DrawRule` says;
/// where an unvisited cell looks for the nearest one about O(log cells) more, and where the row has to be computed
/// what the basis' `RowEvaluator` takes for it.
class LatticePolicy : public Policy {
 public:
  /// The table has a row for each cell and a column for each action cell; rows in `own` have edges of their own. Throws
  /// `shape_mismatch`.
  LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                PolicyTable table, LatticePlay playing, OwnEdges own = {}, const Acting& acting = {});
  /// The same without a table in memory. Throws `bad_value` for `DrawRule::alias`, too.
  LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                CoefficientTable table, LatticePlay playing, OwnEdges own = {}, const Acting& acting = {});

  const Cells& cells() const { return *cells_; }
  const Grid& actions() const { return actions_; }
  const OwnEdges& own_edges() const { return own_; }
  const LatticePlay& playing() const { return playing_; }
  /// Whether there is a table; otherwise rows are computed when they are asked for.
  bool has_table() const;
  /// Throws `missing_option` where there is none.
  const PolicyTable& table() const;
  std::size_t columns() const { return columns_; }
  /// Row of a visited cell, `columns()` probabilities.
  void row(std::size_t cell, std::span<double> out) const;

  /// Draws an action cell from the row of a visited cell.
  std::size_t draw_cell(std::size_t cell, Random& random) const;
  /// The action of an action cell in a visited cell, its dimensions `stride` apart: its middle, or with noise a point
  /// inside.
  void place_action(std::size_t cell, std::size_t action_cell, Random& random, double* action,
                    std::size_t stride) const;

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  static constexpr std::size_t uniform_row = Cells::none;
  void prepare(std::size_t rows, std::size_t columns, std::size_t most_mapped);
  double probability(std::size_t row, std::size_t cell) const;
  double middle(std::size_t row, std::size_t cell, std::size_t dimension) const;

  std::shared_ptr<const Cells> cells_;
  Grid actions_;
  OwnEdges own_;
  LatticePlay playing_;
  std::size_t columns_ = 0;
  std::shared_ptr<const ActionRows> rows_;
  std::shared_ptr<const CellFinder> finder_;
  std::vector<double> middles_;  ///< of the action cells: one row for each dimension
  std::vector<double> widths_;   ///< the same
};

}  // namespace mercer

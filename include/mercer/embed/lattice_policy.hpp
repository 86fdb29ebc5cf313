#pragma once

#include <memory>

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

/// Acts from a table: finds the cell of the state, draws a cell of the action grid from its row.
///
/// With noise the policy has a density, the row's entry divided by the volume of the bin. Without it actions are atoms,
/// the middles of the bins, and `log_prob` is the logarithm of an atom's probability, minus infinity elsewhere.
/// Discrete actions are atoms always. A draw costs O(observations log bins + log cells + log actions), and O(cells)
/// more where an unvisited cell looks for the nearest one.
class LatticePolicy : public Policy {
 public:
  /// The table has a row for each cell and a column for each action cell. Throws `shape_mismatch`.
  LatticePolicy(std::string name, Contract contract, std::shared_ptr<const Cells> cells, Grid actions,
                PolicyTable table, LatticePlay playing);

  const Cells& cells() const { return *cells_; }
  const Grid& actions() const { return actions_; }
  const LatticePlay& playing() const { return playing_; }
  const PolicyTable& table() const { return table_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  static constexpr std::size_t uniform_row = Cells::none;
  std::size_t row_of(MatrixView<const double> observation, std::size_t column) const;
  std::size_t nearest_row(const double* point, std::size_t stride) const;
  double probability(std::size_t row, std::size_t cell) const;

  std::shared_ptr<const Cells> cells_;
  Grid actions_;
  PolicyTable table_;
  LatticePlay playing_;
  std::vector<double> below_;      ///< table_ summed up along each row
  std::vector<double> middles_;    ///< of the action cells: one row for each dimension
  std::vector<double> centres_;    ///< of the visited cells, scaled: one row for each dimension
  std::vector<double> per_range_;  ///< what scales a coordinate
};

}  // namespace mercer

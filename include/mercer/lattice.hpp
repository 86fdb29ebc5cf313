#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "mercer/matrix_view.hpp"
#include "mercer/names.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// Bins of one dimension: [e_0, e_1), [e_1, e_2), ..., the last one closed. What lies outside belongs to the bin at
/// that end.
struct Edges {
  std::vector<double> values;  ///< rising, two or more; one more than there are bins
  std::size_t collapsed = 0;   ///< bins that were asked for and are not there because the data has ties

  std::size_t bins() const { return values.size() - 1; }
  /// The number of inner edges that are not above x: O(log bins), without a branch that data decides.
  std::size_t bin(double x) const {
    const double* inner = values.data() + 1;
    std::size_t count = bins() - 1;
    std::size_t found = 0;
    while (count > 0) {
      const std::size_t half = (count + 1) / 2;
      found += inner[found + half - 1] <= x ? half : 0;
      count -= half;
    }
    return found;
  }
  double centre(std::size_t bin) const { return (values[bin] + values[bin + 1]) / 2; }
  double width(std::size_t bin) const { return values[bin + 1] - values[bin]; }
};

/// How the edges of a dimension follow from its data.
enum class EdgeKind {
  quantile,  ///< equally many data in each bin, interpolated between neighbours: as scikit-learn's KBinsDiscretizer
  data_quantile,  ///< x_(ceil(N i / bins)): always data, and so carried along by every increasing map
  uniform,        ///< equal widths from the smallest to the largest
  kmeans,         ///< half-way between the centres of one-dimensional k-means, started from equal widths
  tempered,       ///< equal mass of t * (distribution of the data) + (1 - t) * (uniform)
};
template <>
struct Names<EdgeKind> {
  static constexpr std::string_view kind = "edge rule";
  static constexpr Spelling<EdgeKind> table[] = {{EdgeKind::quantile, "quantile"},
                                                 {EdgeKind::data_quantile, "data-quantile"},
                                                 {EdgeKind::uniform, "uniform"},
                                                 {EdgeKind::kmeans, "kmeans"},
                                                 {EdgeKind::tempered, "tempered"}};
};
struct EdgeRule {
  EdgeKind kind = EdgeKind::quantile;
  double temper = 0.5;  ///< t in [0, 1]: 1 is `quantile`, 0 is `uniform`
};

/// "quantile", "data-quantile", "uniform", "kmeans", "tempered:0.5". Throws `unknown_name`, `bad_value`,
/// `out_of_range`.
EdgeRule parse_edge_rule(std::string_view text);
std::string to_text(const EdgeRule& rule);

/// Edges for `bins` bins (1 to 2^20) of these numbers, at least one. Bins narrower than 1e-8 collapse; data that is all
/// equal gets one bin around it. O(N log N). Throws `out_of_range` or `not_finite`.
Edges make_edges(std::span<const double> data, std::size_t bins, const EdgeRule& rule);

/// For data of at most `bins` different values that are all whole numbers (up to 2^22, so that half of one is exact in
/// single precision): a bin of width one with each value in its middle, and one more for each gap between them. Nothing
/// for other data. O(N log bins).
std::optional<Edges> whole_number_edges(std::span<const double> data, std::size_t bins);

/// A product of bins, numbered with the last dimension running fastest.
struct Grid {
  std::vector<Edges> axes;

  std::size_t dimensions() const { return axes.size(); }
  /// The number of cells, as a double: it may be beyond any integer.
  double cells() const;
  /// Bin along a dimension of cell number `cell`.
  std::size_t bin(std::size_t cell, std::size_t dimension) const;
};

/// Number of a cell in a grid.
using Key64 = std::uint64_t;
__extension__ using Key128 = unsigned __int128;

/// Cells of a grid that were visited, sorted by their number, with how often.
///
/// Numbers take 64 bits where the product of all bins fits, 128 where it does not (35 bins in 20 dimensions need 103).
/// Looking one up costs O(dimensions log bins + log visited) and allocates nothing.
class Cells {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// Counts the columns of `points`, one row for each dimension, on all allowed threads. Throws `too_large` when even
  /// 128 bits do not number the cells, `shape_mismatch` when the dimensions differ.
  Cells(const Grid& grid, MatrixView<const double> points);
  /// From known cells: bin indices, one row of `grid.dimensions()` for each, and their counts.
  Cells(const Grid& grid, std::span<const std::uint32_t> indices, std::vector<std::uint64_t> counts);

  const Grid& grid() const { return grid_; }
  std::size_t size() const { return counts_.size(); }
  bool wide() const { return std::holds_alternative<std::vector<Key128>>(keys_); }
  std::span<const std::uint64_t> counts() const { return counts_; }
  std::uint64_t visits() const { return visits_; }

  /// The place of a point's cell among the visited ones, or `none`. `point` has `stride` between its coordinates.
  std::size_t find(const double* point, std::size_t stride = 1) const;
  /// Bin of cell `place` along a dimension.
  std::size_t bin(std::size_t place, std::size_t dimension) const;
  /// Middle of a cell along a dimension.
  double centre(std::size_t place, std::size_t dimension) const {
    return grid_.axes[dimension].centre(bin(place, dimension));
  }

  /// Its number in the grid.
  Key128 key(std::size_t place) const;

  /// The cells of both, which are of one grid, with their counts added. O(cells). Throws `shape_mismatch`.
  static Cells merged(const Cells& first, const Cells& second);
  /// Numbers and counts for another process of the same build that knows the grid. `from_bytes` throws `corrupt_file`.
  std::string to_bytes() const;
  static Cells from_bytes(const Grid& grid, const std::string& bytes);

  /// Only the cells that hold more than the fraction `threshold` of all visits, in [0, 1).
  Cells pruned(double threshold) const;

 private:
  using Keys = std::variant<std::vector<Key64>, std::vector<Key128>>;
  Cells(Grid grid, Keys keys, std::vector<std::uint64_t> counts);

  Grid grid_;
  Keys keys_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t visits_ = 0;
};

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
template <>
struct Names<TableRule> {
  static constexpr std::string_view kind = "rule of a table";
  static constexpr Spelling<TableRule> table[] = {
      {TableRule::centre, "centre"}, {TableRule::mass, "mass"}, {TableRule::counts, "counts"}};
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

/// The order in which the rows of a pruned table stand. A transform along the rows sees neighbours in that order, so it
/// changes how well few coefficients do.
enum class RowOrder {
  lexicographic,  ///< by cell number: as printed
  snake,  ///< every other run of the last dimensions backwards, so that neighbours in the order are neighbours in space
  tour,   ///< each time the nearest row not yet visited, by Euclidean distance of bin indices; ties to the lower number
  mean_action,  ///< by the mean of the first action dimension (the index of discrete ones), ties by cell number
  axes,  ///< no list: the whole lattice with one axis for each dimension. Among themselves rows stand by cell number
};
template <>
struct Names<RowOrder> {
  static constexpr std::string_view kind = "row order";
  static constexpr Spelling<RowOrder> table[] = {{RowOrder::lexicographic, "lexicographic"},
                                                 {RowOrder::snake, "snake"},
                                                 {RowOrder::tour, "tour"},
                                                 {RowOrder::mean_action, "mean-action"},
                                                 {RowOrder::axes, "axes"}};
};

/// order[i] = the row (by cell number) that stands in place i. O(rows log rows); the tour O(rows^2) at worst, with rows
/// limited to 200,000 (`too_large` beyond).
std::vector<std::size_t> order_rows(const Cells& cells, const PolicyTable& table, const Grid& actions, RowOrder order);

}  // namespace mercer

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

// Gauss and Legendre's points on [-1, 1] and their weights, the positive half.
constexpr std::array<double, 4> gauss_points{0.18343464249564981, 0.52553240991632899, 0.79666647741362674,
                                             0.96028985649753623};
constexpr std::array<double, 4> gauss_weights{0.36268378337836199, 0.31370664587788729, 0.22238103445337448,
                                              0.10122853629037626};

// Points inside one action bin, with what each counts: the product over dimensions.
struct BinPoints {
  std::vector<double> offsets;  // points x dimensions, in half widths from the middle
  std::vector<double> weights;
};

BinPoints points_in_a_bin(std::size_t dimensions, TableRule rule, bool discrete) {
  BinPoints all{{}, {1}};
  all.offsets.assign(dimensions, 0);
  if (rule == TableRule::centre || discrete) return all;
  for (std::size_t d = 0; d < dimensions; ++d) {
    BinPoints finer;
    for (std::size_t p = 0; p < all.weights.size(); ++p) {
      for (std::size_t g = 0; g < 2 * gauss_points.size(); ++g) {
        finer.offsets.insert(finer.offsets.end(), all.offsets.begin() + static_cast<std::ptrdiff_t>(p * dimensions),
                             all.offsets.begin() + static_cast<std::ptrdiff_t>((p + 1) * dimensions));
        finer.offsets[finer.offsets.size() - dimensions + d] = g % 2 == 0 ? gauss_points[g / 2] : -gauss_points[g / 2];
        finer.weights.push_back(all.weights[p] * gauss_weights[g / 2] / 2);
      }
    }
    all = std::move(finer);
  }
  return all;
}

// Makes a row of logarithms sum to one; false when nothing is there.
bool normalise_logs(std::span<double> row) {
  const double most = *std::ranges::max_element(row);
  if (!std::isfinite(most)) return false;
  double total = 0;
  for (double& value : row) total += value = std::exp(value - most);
  for (double& value : row) value /= total;
  return true;
}

bool normalise(std::span<double> row) {
  double total = 0;
  for (const double value : row) total += value;
  if (!(total > 0) || !std::isfinite(total)) return false;
  for (double& value : row) value /= total;
  return true;
}

void check_sizes(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule) {
  if (rule == TableRule::counts) {
    throw Error(ErrorCode::bad_value, "a table of counts was asked of a policy", "Count the actions of rollouts");
  }
  if (policy.observation_dimensions() != cells.grid().dimensions() ||
      policy.action_space().dimensions() != actions.dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("policy '{}' has {} observations and {} actions, and the lattice {} and {}", policy.name(),
                            policy.observation_dimensions(), policy.action_space().dimensions(),
                            cells.grid().dimensions(), actions.dimensions()),
                "Make the lattice from rollouts of this policy");
  }
  if (actions.cells() > 1 << 24) {
    throw Error(ErrorCode::too_large, fmt::format("{:.3g} action cells; legal: up to {}", actions.cells(), 1 << 24),
                "Take fewer action bins");
  }
}

// Middles of the cells [begin, end), one column each.
std::vector<double> middles(const Cells& cells, std::size_t begin, std::size_t end) {
  const std::size_t dimensions = cells.grid().dimensions(), count = end - begin;
  std::vector<double> out(dimensions * count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t i = 0; i < count; ++i) out[d * count + i] = cells.centre(begin + i, d);
  }
  return out;
}

// The action grids of the rows of a block.
struct BlockGrids {
  const Grid& common;
  const OwnEdges& own;
  std::size_t begin;  // the first row of the block

  const Grid& of(std::size_t i) const { return own.of(begin + i, common); }
};

// Differences of the distribution function in each dimension, multiplied; the tails belong to the bins at the ends.
// `out` has a row for each state. False where the policy has no distribution function.
bool fill_masses(const Policy& policy, const BlockGrids& grids, MatrixView<const double> states,
                 MatrixView<double> out) {
  const Grid& actions = grids.common;
  const std::size_t count = states.cols(), different = grids.own.empty() ? 1 : count;
  for (std::size_t i = 0; i < count; ++i) std::ranges::fill(out.row(i), 1.0);
  std::vector<std::size_t> bin(out.cols());
  std::vector<double> edges, below;
  for (std::size_t d = 0; d < actions.dimensions(); ++d) {
    const std::size_t inner = actions.axes[d].bins() - 1;
    for (std::size_t a = 0; a < bin.size(); ++a) bin[a] = actions.bin(a, d);
    edges.clear();
    for (std::size_t i = 0; i < different; ++i) {
      const std::vector<double>& values = grids.of(i).axes[d].values;
      edges.insert(edges.end(), values.begin() + 1, values.end() - 1);
    }
    below.resize(count * inner);
    if (!policy.cdf(states, d, {edges.data(), different, inner}, {below.data(), count, inner})) return false;
    for (std::size_t i = 0; i < count; ++i) {
      const double* const own = below.data() + i * inner;
      for (std::size_t a = 0; a < bin.size(); ++a) {
        const double from = bin[a] == 0 ? 0 : own[bin[a] - 1], to = bin[a] == inner ? 1 : own[bin[a]];
        out(i, a) *= std::max(0.0, to - from);
      }
    }
  }
  return true;
}

// The points of every bin of a grid, one row for each dimension, and the logarithms of the bins' volumes.
void place_points(const Grid& actions, const BinPoints& points, bool with_width, MatrixView<double> played,
                  std::span<double> log_width) {
  for (std::size_t a = 0; a < log_width.size(); ++a) {
    log_width[a] = 0;
    for (std::size_t d = 0; d < played.rows(); ++d) {
      const std::size_t bin = actions.bin(a, d);
      const double width = actions.axes[d].width(bin);
      if (with_width) log_width[a] += std::log(width);
      for (std::size_t p = 0; p < points.weights.size(); ++p) {
        played(d, a * points.weights.size() + p) =
            actions.axes[d].centre(bin) + width / 2 * points.offsets[p * played.rows() + d];
      }
    }
  }
}

// The logarithm of a mean of exp(logs) by weights.
double log_mean(std::span<const double> logs, std::span<const double> weights) {
  const double most = *std::ranges::max_element(logs);
  if (!std::isfinite(most)) return -HUGE_VAL;
  if (logs.size() == 1) return most;
  double total = 0;
  for (std::size_t p = 0; p < logs.size(); ++p) total += weights[p] * std::exp(logs[p] - most);
  return most + std::log(total);
}

// Logarithms of the density at the points of every bin, weighted and summed; `out` has a row for each state.
void fill_densities(const Policy& policy, const BlockGrids& grids, const BinPoints& points, bool with_width,
                    MatrixView<const double> states, MatrixView<double> out) {
  const std::size_t dimensions = grids.common.dimensions(), each = points.weights.size(), columns = out.cols() * each;
  // As many states at once as bounded memory allows.
  constexpr std::size_t most_pairs = std::size_t{1} << 18;
  const std::size_t most = std::clamp<std::size_t>(most_pairs / columns, 1, states.cols());
  const bool shared = grids.own.empty();
  const std::size_t different = shared ? 1 : most;
  std::vector<double> points_of(dimensions * different * columns), found(most * columns);
  std::vector<double> log_width(different * out.cols());
  const MatrixView<double> played(points_of.data(), dimensions, different * columns);
  const auto widths = [&](std::size_t i) { return std::span(log_width).subspan(i * out.cols(), out.cols()); };
  for (std::size_t begin = 0; begin < states.cols(); begin += most) {
    const std::size_t count = std::min(most, states.cols() - begin);
    const std::size_t grids_here = shared ? std::size_t{begin == 0} : count;
    for (std::size_t i = 0; i < grids_here; ++i) {
      place_points(grids.of(begin + i), points, with_width, played.columns(i * columns, columns), widths(i));
    }
    policy.log_prob_many(states.columns(begin, count), shared ? played : played.columns(0, count * columns),
                         {found.data(), count, columns});
    for (std::size_t i = 0; i < count; ++i) {
      const std::span<const double> log_volume = widths(shared ? 0 : i);
      for (std::size_t a = 0; a < out.cols(); ++a) {
        out(begin + i, a) = log_mean({found.data() + i * columns + a * each, each}, points.weights) + log_volume[a];
      }
    }
  }
}

// As many as a network takes at once.
constexpr std::size_t rows_together = 64;

// Fills rows of a table, a few at a time.
class RowFiller {
 public:
  RowFiller(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule, const OwnEdges& own)
      : policy_(policy),
        cells_(cells),
        actions_(actions),
        own_(own),
        masses_(rule == TableRule::mass && !policy.action_space().is_discrete()),
        points_(points_in_a_bin(actions.dimensions(), rule, policy.action_space().is_discrete())) {}

  // Rows [begin, end) to the front of `numbers`; returns how many are uniform for want of anything.
  std::size_t fill(std::size_t begin, std::size_t end, std::span<double> numbers) const {
    const std::size_t count = end - begin;
    const std::vector<double> centres = middles(cells_, begin, end);
    const MatrixView<const double> states(centres.data(), cells_.grid().dimensions(), count);
    const MatrixView<double> out(numbers.data(), count, static_cast<std::size_t>(actions_.cells()));
    const BlockGrids grids{actions_, own_, begin};
    const bool exact = masses_ && fill_masses(policy_, grids, states, out);
    if (!exact) fill_densities(policy_, grids, points_, masses_, states, out);
    std::size_t empty = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (exact ? normalise(out.row(i)) : normalise_logs(out.row(i))) continue;
      std::ranges::fill(out.row(i), 1 / static_cast<double>(out.cols()));
      ++empty;
    }
    return empty;
  }

 private:
  const Policy& policy_;
  const Cells& cells_;
  const Grid& actions_;
  const OwnEdges& own_;
  bool masses_;
  BinPoints points_;
};

}  // namespace

Grid discrete_action_grid(std::size_t count) {
  Edges edges;
  for (std::size_t i = 0; i <= count; ++i) edges.values.push_back(static_cast<double>(i) - 0.5);
  return {{std::move(edges)}};
}

PolicyTable tabulate(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule,
                     const OwnEdges& own) {
  check_sizes(policy, cells, actions, rule);
  own.check(cells.size(), actions);
  PolicyTable table{cells.size(), static_cast<std::size_t>(actions.cells()), {}};
  table.pi.resize(table.rows * table.cols);
  const RowFiller filler(policy, cells, actions, rule, own);
  std::vector<std::size_t> empty((table.rows + rows_together - 1) / rows_together);
  for_each_block(table.rows, rows_together, [&](Block block) {
    const std::span<double> out = std::span(table.pi).subspan(block.begin * table.cols);
    empty[block.index] = filler.fill(block.begin, block.end, out);
  });
  for (const std::size_t rows : empty) table.rows_without += rows;
  return table;
}

std::size_t tabulate_rows(const Policy& policy, const Cells& cells, const Grid& actions, TableRule rule,
                          std::size_t begin, std::size_t end, std::span<double> out) {
  check_sizes(policy, cells, actions, rule);
  const auto columns = static_cast<std::size_t>(actions.cells());
  require_in_range("the last row", static_cast<double>(end), static_cast<double>(begin),
                   static_cast<double>(cells.size()), "Ask for rows of visited cells");
  if (out.size() != (end - begin) * columns) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("room for {} numbers, and {} rows of {}", out.size(), end - begin, columns),
                "Give room for all rows");
  }
  const OwnEdges none;
  const RowFiller filler(policy, cells, actions, rule, none);
  std::size_t empty = 0;
  for (std::size_t first = begin; first < end; first += rows_together) {
    empty += filler.fill(first, std::min(end, first + rows_together), out.subspan((first - begin) * columns));
  }
  return empty;
}

PolicyTable count_actions(const Rollouts& rollouts, const Cells& cells, const Grid& actions, const OwnEdges& own) {
  const std::size_t states = cells.grid().dimensions(), dimensions = actions.dimensions();
  if (rollouts.observations.size() != rollouts.steps() * states ||
      rollouts.actions.size() != rollouts.steps() * dimensions) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format(
            "rollouts of {} steps with {} observations and {} actions in all, for a lattice of {} and {} dimensions",
            rollouts.steps(), rollouts.observations.size(), rollouts.actions.size(), states, dimensions),
        "Keep the steps of the rollouts that the lattice is made from");
  }
  own.check(cells.size(), actions);
  PolicyTable table{cells.size(), static_cast<std::size_t>(actions.cells()), {}};
  table.pi.assign(table.rows * table.cols, 0);
  for (std::size_t t = 0; t < rollouts.steps(); ++t) {
    const std::size_t row = cells.find(rollouts.observations.data() + t * states);
    if (row == Cells::none) continue;
    const Grid& grid = own.of(row, actions);
    std::size_t action = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      action = action * grid.axes[d].bins() + grid.axes[d].bin(rollouts.actions[t * dimensions + d]);
    }
    ++table.row(row)[action];
  }
  for (std::size_t r = 0; r < table.rows; ++r) {
    if (normalise(table.row(r))) continue;
    std::ranges::fill(table.row(r), 1 / static_cast<double>(table.cols));
    ++table.rows_without;
  }
  return table;
}

}  // namespace mercer

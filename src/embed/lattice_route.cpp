#include "mercer/embed/lattice_route.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

// Row-major data as one row for each dimension.
std::vector<double> transposed(const std::vector<double>& rows, std::size_t dimensions) {
  const std::size_t count = rows.size() / dimensions;
  std::vector<double> out(rows.size());
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t i = 0; i < count; ++i) out[d * count + i] = rows[i * dimensions + d];
  }
  return out;
}

std::size_t bins_for(const std::vector<std::size_t>& bins, std::size_t d, std::size_t dimensions, const char* what) {
  if (bins.size() == 1) return bins[0];
  if (bins.size() == dimensions) return bins[d];
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("{} numbers of {} bins for {} dimensions", bins.size(), what, dimensions),
              "Give one for all, or one for each");
}

// Edges in single precision, as files keep them: the lattice that is measured is the one that is stored.
Edges in_single_precision(const Edges& edges) {
  Edges rounded{{}, edges.collapsed};
  for (const double edge : edges.values) {
    const double single = static_cast<float>(edge);
    if (rounded.values.empty() || single > rounded.values.back()) {
      rounded.values.push_back(single);
    } else {
      ++rounded.collapsed;
    }
  }
  return rounded;
}

// `points` has a row for each dimension.
Grid make_grid(MatrixView<const double> points, const std::vector<std::size_t>& bins, const EdgeRule& rule,
               const char* what) {
  Grid grid;
  for (std::size_t d = 0; d < points.rows(); ++d) {
    const std::size_t count = bins_for(bins, d, points.rows(), what);
    grid.axes.push_back(in_single_precision(make_edges(points.row(d), count, rule)));
  }
  return grid;
}

// Where observations are few whole numbers, edges by a rule would make bins that hold none and join others.
Grid make_state_grid(const Policy& teacher, MatrixView<const double> points, const LatticeOptions& options) {
  Grid grid = make_grid(points, options.state_bins, options.state_edges, "state");
  for (std::size_t d = 0; d < points.rows(); ++d) {
    const std::size_t count = bins_for(options.state_bins, d, points.rows(), "state");
    auto whole = whole_number_edges(points.row(d), count);
    if (whole) grid.axes[d] = std::move(*whole);
  }
  const Space& space = teacher.contract().observation;
  if (space.is_discrete() && space.count <= bins_for(options.state_bins, 0, 1, "state")) {
    grid = discrete_action_grid(space.count);
  }
  return grid;
}

// The rule for actions on a box. Even bins that reach the bounds do not depend on the data at all.
Grid make_action_grid(const Policy& teacher, const Rollouts& rollouts, const LatticeOptions& options) {
  const Space& space = teacher.action_space();
  if (space.is_discrete()) return discrete_action_grid(space.count);
  std::vector<double> played;
  if (options.reach_bounds && options.action_edges.kind == EdgeKind::uniform) {
    for (const Axis& axis : space.axes) {
      played.push_back(axis.range.low);
      played.push_back(axis.range.high);
    }
  } else {
    played = transposed(rollouts.actions, space.dimensions());
  }
  Grid grid = make_grid({played.data(), space.dimensions(), played.size() / space.dimensions()}, options.action_bins,
                        options.action_edges, "action");
  if (!options.reach_bounds) return grid;
  for (std::size_t d = 0; d < space.dimensions(); ++d) {
    const auto [low, high] = space.axes[d].range;
    std::vector<double>& edges = grid.axes[d].values;
    if (std::isfinite(low)) edges.front() = std::min<double>(static_cast<float>(low), edges.front());
    if (std::isfinite(high)) edges.back() = std::max<double>(static_cast<float>(high), edges.back());
  }
  return grid;
}

OwnEdges make_conditional_edges(const Policy& teacher, const Rollouts& rollouts, const Lattice& lattice,
                                const LatticeOptions& options) {
  if (!options.conditional_actions) return {};
  if (teacher.action_space().is_discrete()) {
    throw Error(ErrorCode::bad_value, "action edges for each cell, but the actions are discrete",
                "Leave conditional action edges out: discrete actions have one bin each");
  }
  return make_own_edges(rollouts, *lattice.cells, lattice.actions, options.action_edges, options.reach_bounds);
}

// Every cell, with the visits of those that have any.
Cells all_cells(const Cells& visited) {
  constexpr double most = 1e7;
  const Grid& grid = visited.grid();
  if (grid.cells() > most) {
    throw Error(ErrorCode::too_large,
                fmt::format("a full lattice of {:.3g} cells; legal: up to {:.0g}", grid.cells(), most),
                "Take fewer bins, or only visited cells");
  }
  const auto count = static_cast<std::size_t>(grid.cells());
  std::vector<std::uint32_t> indices(count * grid.dimensions());
  std::vector<std::uint64_t> visits(count);
  std::vector<double> middle(grid.dimensions());
  for (std::size_t c = 0; c < count; ++c) {
    std::size_t rest = c;
    for (std::size_t d = grid.dimensions(); d-- > 0;) {
      const std::size_t bin = rest % grid.axes[d].bins();
      rest /= grid.axes[d].bins();
      indices[c * grid.dimensions() + d] = static_cast<std::uint32_t>(bin);
      middle[d] = grid.axes[d].centre(bin);
    }
    const std::size_t place = visited.find(middle.data());
    if (place != Cells::none) visits[c] = visited.counts()[place];
  }
  return {grid, indices, std::move(visits)};
}

}  // namespace

LatticeOptions paper_lattice() {
  LatticeOptions options;
  options.state_edges = {EdgeKind::quantile};
  options.action_edges = {EdgeKind::quantile};
  options.table = TableRule::centre;
  options.playing = {Unvisited::uniform, false};
  return options;
}

LatticeOptions best_lattice() {
  LatticeOptions options;
  options.action_bins = {45};
  options.state_edges = {EdgeKind::uniform};
  options.action_edges = {EdgeKind::uniform};
  options.reach_bounds = true;
  options.table = TableRule::mass;
  options.playing = {Unvisited::nearest, true};
  return options;
}

double Lattice::pruned_percent() const {
  return 100 * (1 - static_cast<double>(cells->size()) / cells->grid().cells());
}

std::vector<double> Lattice::visits() const {
  std::vector<double> out;
  for (const std::uint64_t count : cells->counts()) out.push_back(static_cast<double>(count));
  return out;
}

Lattice make_lattice(const Policy& teacher, const Rollouts& rollouts, const LatticeOptions& options) {
  const std::size_t seen = teacher.observation_dimensions(), steps = rollouts.steps();
  if (steps == 0 || rollouts.observations.size() != steps * seen ||
      rollouts.actions.size() != steps * teacher.action_space().dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("rollouts of {} steps with {} observations and {} actions in all do not fit policy '{}'",
                            steps, rollouts.observations.size(), rollouts.actions.size(), teacher.name()),
                "Give rollouts of this policy, with their steps");
  }
  const std::vector<double> observed = transposed(rollouts.observations, seen);
  const MatrixView<const double> points(observed.data(), seen, steps);
  const Grid states = make_state_grid(teacher, points, options);
  Cells cells = Cells(states, points).pruned(options.prune);
  if (options.full) cells = all_cells(cells);
  Lattice lattice{
      std::make_shared<const Cells>(std::move(cells)), make_action_grid(teacher, rollouts, options), {}, {}};
  lattice.own = make_conditional_edges(teacher, rollouts, lattice, options);
  lattice.table = options.table == TableRule::counts
                      ? count_actions(rollouts, *lattice.cells, lattice.actions, lattice.own)
                      : tabulate(teacher, *lattice.cells, lattice.actions, options.table, lattice.own);
  for (const Edges& axis : states.axes) lattice.collapsed_bins += axis.collapsed;
  for (const Edges& axis : lattice.actions.axes) lattice.collapsed_bins += axis.collapsed;
  return lattice;
}

Contract lattice_contract(const Policy& teacher) {
  Contract contract = teacher.contract();
  contract.normalisation = {};
  contract.squash = Squash::none;
  std::ranges::fill(contract.centre, 0.0);
  std::ranges::fill(contract.scale, 1.0);
  return contract;
}

LatticePolicy lattice_policy(std::string name, const Policy& teacher, const Lattice& lattice, PolicyTable table,
                             const LatticePlay& playing) {
  return {std::move(name), lattice_contract(teacher), lattice.cells, lattice.actions, std::move(table), playing,
          lattice.own};
}

}  // namespace mercer

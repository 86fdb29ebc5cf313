#include <algorithm>

#include <fmt/format.h>

#include "embed/lattice/lattice_grids.hpp"
#include "mercer/embedding.hpp"
#include "mercer/error.hpp"

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

// Edges from all data, one row of `points` for each dimension.
EdgeSource edges_of(MatrixView<const double> points) {
  return {points.rows(),
          [=](std::size_t d, std::size_t bins, const EdgeRule& rule) { return make_edges(points.row(d), bins, rule); },
          [=](std::size_t d, std::size_t bins) { return whole_number_edges(points.row(d), bins); }};
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
  const Grid states = make_state_grid(teacher, edges_of(points), options);
  Cells cells = Cells(states, points).pruned(options.prune);
  if (options.full) cells = all_cells(cells);
  const std::size_t played = teacher.action_space().dimensions();
  const bool fixed = action_grid_is_fixed(teacher, options);
  const std::vector<double> actions = fixed ? std::vector<double>() : transposed(rollouts.actions, played);
  const EdgeSource action_edges = edges_of({actions.data(), played, steps});
  Lattice lattice{
      std::make_shared<const Cells>(std::move(cells)), make_action_grid(teacher, action_edges, options), {}, {}};
  lattice.own = make_conditional_edges(teacher, rollouts, lattice, options);
  lattice.table = options.table == TableRule::counts
                      ? count_actions(rollouts, *lattice.cells, lattice.actions, lattice.own)
                      : tabulate(teacher, *lattice.cells, lattice.actions, options.table, lattice.own);
  lattice.rollouts = rollouts.episodes();
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

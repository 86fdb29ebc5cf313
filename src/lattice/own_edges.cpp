#include <algorithm>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/lattice.hpp"

namespace mercer {
namespace {

// Edges for exactly `bins` bins, or the common ones.
Edges edges_in_cell(std::vector<double> played, const Edges& common, const EdgeRule& rule, bool common_ends) {
  const std::size_t bins = common.bins();
  std::vector<double> different = played;
  std::ranges::sort(different);
  different.erase(std::unique(different.begin(), different.end()), different.end());
  if (different.size() < bins + 1) return common;
  Edges edges = make_edges(played, bins, rule);
  for (double& edge : edges.values) edge = static_cast<float>(edge);
  if (common_ends) {
    edges.values.front() = std::min(edges.values.front(), common.values.front());
    edges.values.back() = std::max(edges.values.back(), common.values.back());
  }
  const bool rise = std::ranges::adjacent_find(edges.values, std::greater_equal<>()) == edges.values.end();
  return rise && edges.bins() == bins ? edges : common;
}

// The steps of each cell, one cell after the other.
struct StepsByCell {
  std::vector<std::size_t> begins;  // of each cell, and the end
  std::vector<std::size_t> steps;
};

StepsByCell steps_by_cell(const Rollouts& rollouts, const Cells& cells) {
  const std::size_t seen = cells.grid().dimensions(), count = rollouts.steps();
  std::vector<std::size_t> cell_of(count);
  StepsByCell sorted{std::vector<std::size_t>(cells.size() + 1), {}};
  for (std::size_t t = 0; t < count; ++t) {
    cell_of[t] = cells.find(rollouts.observations.data() + t * seen);
    if (cell_of[t] != Cells::none) ++sorted.begins[cell_of[t] + 1];
  }
  for (std::size_t c = 0; c < cells.size(); ++c) sorted.begins[c + 1] += sorted.begins[c];
  sorted.steps.resize(sorted.begins.back());
  std::vector<std::size_t> next(sorted.begins.begin(), sorted.begins.end() - 1);
  for (std::size_t t = 0; t < count; ++t) {
    if (cell_of[t] != Cells::none) sorted.steps[next[cell_of[t]]++] = t;
  }
  return sorted;
}

}  // namespace

std::size_t OwnEdges::numbers() const {
  std::size_t total = 0;
  for (const Grid& grid : grids) {
    for (const Edges& axis : grid.axes) total += axis.values.size();
  }
  return total;
}

void OwnEdges::check(std::size_t rows, const Grid& common) const {
  const auto fits = [&](const Grid& grid) {
    return std::ranges::equal(grid.axes, common.axes, {}, &Edges::bins, &Edges::bins);
  };
  const auto there = [&](std::size_t place) { return place == none || place < grids.size(); };
  const bool counts = places.empty() ? grids.empty() : places.size() == rows;
  if (counts && std::ranges::all_of(grids, fits) && std::ranges::all_of(places, there)) return;
  throw Error(
      ErrorCode::shape_mismatch,
      fmt::format("{} rows with {} places among {} grids of their own actions", rows, places.size(), grids.size()),
      "Give each row a place or none, and every grid as many bins as the common one has");
}

OwnEdges make_own_edges(const Rollouts& rollouts, const Cells& cells, const Grid& common, const EdgeRule& rule,
                        bool common_ends) {
  const std::size_t dimensions = common.dimensions();
  if (rollouts.observations.size() != rollouts.steps() * cells.grid().dimensions() ||
      rollouts.actions.size() != rollouts.steps() * dimensions) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("rollouts of {} steps with {} observations and {} actions in all, for a lattice of {} and "
                            "{} dimensions",
                            rollouts.steps(), rollouts.observations.size(), rollouts.actions.size(),
                            cells.grid().dimensions(), dimensions),
                "Keep the steps of the rollouts that the lattice is made from");
  }
  const StepsByCell sorted = steps_by_cell(rollouts, cells);
  OwnEdges own{std::vector<std::size_t>(cells.size(), OwnEdges::none), {}};
  std::vector<double> played;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    Grid grid;
    bool differs = false;
    for (std::size_t d = 0; d < dimensions; ++d) {
      played.clear();
      for (std::size_t i = sorted.begins[c]; i < sorted.begins[c + 1]; ++i) {
        played.push_back(rollouts.actions[sorted.steps[i] * dimensions + d]);
      }
      grid.axes.push_back(edges_in_cell(played, common.axes[d], rule, common_ends));
      differs = differs || grid.axes[d].values != common.axes[d].values;
    }
    if (!differs) continue;
    own.places[c] = own.grids.size();
    own.grids.push_back(std::move(grid));
  }
  return own;
}

}  // namespace mercer

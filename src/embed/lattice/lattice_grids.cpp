#include "embed/lattice/lattice_grids.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

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

Grid make_grid(const EdgeSource& source, const std::vector<std::size_t>& bins, const EdgeRule& rule, const char* what) {
  Grid grid;
  for (std::size_t d = 0; d < source.dimensions; ++d) {
    grid.axes.push_back(in_single_precision(source.by_rule(d, bins_for(bins, d, source.dimensions, what), rule)));
  }
  return grid;
}

// Even bins between the bounds of the task.
EdgeSource bounds_of(const Space& space) {
  return {space.dimensions(),
          [&](std::size_t d, std::size_t bins, const EdgeRule& rule) {
            return make_edges(std::array{space.axes[d].range.low, space.axes[d].range.high}, bins, rule);
          },
          {}};
}

}  // namespace

std::size_t bins_for(const std::vector<std::size_t>& bins, std::size_t d, std::size_t dimensions, const char* what) {
  if (bins.size() == 1) return bins[0];
  if (bins.size() == dimensions) return bins[d];
  throw Error(ErrorCode::shape_mismatch,
              fmt::format("{} numbers of {} bins for {} dimensions", bins.size(), what, dimensions),
              "Give one for all, or one for each");
}

// Where observations are few integers, edges by a rule would make bins that hold none and join others.
Grid make_state_grid(const Policy& teacher, const EdgeSource& source, const LatticeOptions& options) {
  Grid grid = make_grid(source, options.state_bins, options.state_edges, "state");
  for (std::size_t d = 0; d < source.dimensions; ++d) {
    auto integers = source.integer_edges(d, bins_for(options.state_bins, d, source.dimensions, "state"));
    if (integers) grid.axes[d] = std::move(*integers);
  }
  const Space& space = teacher.contract().observation;
  if (space.is_discrete() && space.count <= bins_for(options.state_bins, 0, 1, "state")) {
    grid = discrete_action_grid(space.count);
  }
  return grid;
}

bool action_grid_is_fixed(const Policy& teacher, const LatticeOptions& options) {
  return teacher.action_space().is_discrete() ||
         (options.reach_bounds && options.action_edges.kind == EdgeKind::uniform);
}

Grid make_action_grid(const Policy& teacher, const EdgeSource& source, const LatticeOptions& options) {
  const Space& space = teacher.action_space();
  if (space.is_discrete()) return discrete_action_grid(space.count);
  Grid grid = make_grid(action_grid_is_fixed(teacher, options) ? bounds_of(space) : source, options.action_bins,
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

}  // namespace mercer

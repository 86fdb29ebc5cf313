#pragma once

#include <functional>
#include <optional>

#include "mercer/embedding.hpp"

namespace mercer {

/// Where the edges of a lattice come from: data at hand, or what is known of them.
struct EdgeSource {
  std::size_t dimensions = 0;
  std::function<Edges(std::size_t dimension, std::size_t bins, const EdgeRule& rule)> by_rule;
  /// As `whole_number_edges`.
  std::function<std::optional<Edges>(std::size_t dimension, std::size_t bins)> integer_edges;
};

/// How many bins a dimension is to have. Throws `shape_mismatch` when there is neither one number nor one for each.
std::size_t bins_for(const std::vector<std::size_t>& bins, std::size_t d, std::size_t dimensions, const char* what);

/// The grid of observations, by the rule of the options; a bin for each value where those are few integers. Edges
/// are in single precision, as files keep them: the lattice that is measured is the one that is stored.
Grid make_state_grid(const Policy& teacher, const EdgeSource& source, const LatticeOptions& options);

/// The grid of actions, one bin each where they are discrete.
Grid make_action_grid(const Policy& teacher, const EdgeSource& source, const LatticeOptions& options);
/// Whether that grid follows from the task alone, so that no source is asked.
bool action_grid_is_fixed(const Policy& teacher, const LatticeOptions& options);

}  // namespace mercer

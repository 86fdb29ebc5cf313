#pragma once

#include <string>

#include "mercer/embed/lattice_route.hpp"

namespace mercer {

/// How far another table of the same lattice is from its own, on average over visits.
struct LatticeDistance {
  double w1 = 0;        ///< Wasserstein distance of rows between the middles of the bins, in units of the action
  double tv = 0;        ///< total variation of rows
  std::string w1_kind;  ///< "exact", or "marginal": the largest over action dimensions, which the distance is not below
};

/// O(rows columns dimensions). For actions of several dimensions W1 is that of the dimension where the rows' marginals
/// differ most: projecting on an axis shortens every way, so it is a lower bound of the distance in any p-norm. Throws
/// `shape_mismatch`.
LatticeDistance lattice_distance(const Lattice& lattice, const PolicyTable& other);

}  // namespace mercer

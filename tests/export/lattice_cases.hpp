#pragma once

#include <string>
#include <vector>

#include "mercer/file.hpp"

namespace mercer::test {

/// A kind of lattice embedding: every basis, row order, way to treat unvisited cells and way to make distributions.
struct LatticeKind {
  std::string name, basis;
  RowOrder order = RowOrder::lexicographic;
  bool even = false;  ///< edges
  Unvisited unvisited = Unvisited::nearest;
  double visited = 0.6;     ///< share of the cells
  std::size_t actions = 1;  ///< 0: discrete
  bool noise = true;
  SimplexRule simplex = SimplexRule::clip;
  bool own_edges = false;
  bool coefficients = true;  ///< whether there is a coefficient mode
  double tied = 0;           ///< share of the rows in which two discrete actions are equally likely
};

std::vector<LatticeKind> lattice_kinds();
/// Of a drawn table.
EmbeddingFile lattice_case(const LatticeKind& kind);

}  // namespace mercer::test

#pragma once

#include "mercer/lattice.hpp"

namespace mercer {

inline Edges even_edges(double low, double high, std::size_t bins) {
  Edges edges;
  for (std::size_t b = 0; b <= bins; ++b) {
    edges.values.push_back(low + (high - low) * static_cast<double>(b) / static_cast<double>(bins));
  }
  return edges;
}

}  // namespace mercer

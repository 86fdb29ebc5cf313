#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// What the payload of a lattice embedding says, before anything is computed from it.
struct LatticeCode {
  Grid states;
  std::vector<std::uint32_t> bins;  ///< of the kept cells, one for each dimension, in rising order of cells
  bool discrete = false;
  Grid actions;
  OwnEdges own;  ///< of cells with action edges of their own
  LatticePlay play;
  SimplexRule simplex = SimplexRule::clip;
  RowOrder order = RowOrder::lexicographic;
  std::vector<std::size_t> rows;  ///< the order itself where it does not follow from the cells (mean_action)
  BasisSpec basis;
  std::size_t k = 0;
  std::vector<std::size_t> kept;  ///< indices of coefficients, rising; empty for svd and mixtures; of entries for mle
  std::vector<float> numbers;  ///< coefficients; for svd the left factor (rows x k), then the right one (k x columns);
                               ///< for mixtures weights, means and spreads of each row; for mle shares of draws

  std::size_t cells() const { return states.axes.empty() ? 0 : bins.size() / states.dimensions(); }
};

std::vector<std::uint8_t> encode(const LatticeCode& code);
/// The bytes before the numbers, of which so many follow, little-endian; for cells that are not in `code.bins`.
std::vector<std::uint8_t> encode_head(const LatticeCode& code, const Cells& cells, std::size_t numbers);
LatticeCode decode_lattice(std::span<const std::uint8_t> payload, const std::string& where);

}  // namespace mercer

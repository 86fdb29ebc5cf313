#pragma once

#include "mercer/measure/schatten.hpp"
#include "mercer/measure/sparse_mdp.hpp"

namespace mercer {

/// The closed communicating classes of a chain, each with its states rising: where it ends up sooner or later. Tarjan's
/// algorithm, O(transitions).
std::vector<std::vector<std::uint32_t>> closed_classes(const PolicyChain& chain);

/// What a chain does in the long run. Defined where there is one closed class.
struct LongRun {
  bool applicable = false;
  std::string reason;       ///< why it is not applicable
  std::vector<double> rho;  ///< rho P = rho, sums to one; zero on transient states
  std::vector<double> Z;    ///< (I - P + 1 rho^T)^-1, the fundamental matrix, row-major
  std::vector<double> G;    ///< Z - 1 rho^T, the group inverse of I - P
  SchattenNorms Z_norms;
  double tau = 0;     ///< half of the largest L1 distance between two rows of Z: the ergodicity coefficient of G
  double kappa3 = 0;  ///< max_j (G_jj - min_i G_ij) / 2
};

/// rho by elimination without subtractions (Grassmann, Taksar, Heyman), accurate in every entry. O(c^3) for c states in
/// the closed class, which `states` names.
std::vector<double> stationary_distribution(const PolicyChain& chain, std::span<const std::uint32_t> states);

/// O(n^3). Not applicable for more than one closed class, or for more than 3000 states.
LongRun long_run(const PolicyChain& chain);

}  // namespace mercer

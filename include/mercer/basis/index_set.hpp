#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/basis/family.hpp"

namespace mercer {

/// Which products of one-dimensional functions there are.
enum class IndexRule {
  total,  ///< sum over d of k_d <= degree
  cross,  ///< product over d of (1 + k_d) <= degree + 1: the hyperbolic cross, for more than a few dimensions
};

IndexRule parse_index_rule(std::string_view name);  ///< "total" or "cross"; throws `unknown_name`

/// A set of multi-indices k, where k_d is the frequency along axis d; on a periodic axis each but 0 stands for a cosine
/// and a sine. In lexicographic order.
struct IndexSet {
  IndexRule rule = IndexRule::total;
  std::size_t degree = 1;              ///< 0 to 16
  std::vector<std::uint8_t> limits{};  ///< largest k_d along each axis; empty: no further limit
  std::vector<std::uint8_t> periodic;  ///< one for each axis, 1 to 64 of them

  std::size_t dimensions() const { return periodic.size(); }
};

/// How many there are, counted up to `most`: O(dimensions degree^2).
std::size_t count_indices(const IndexSet& set, std::size_t most);

/// All of them, one after the other: place d of multi-index j is the number of the function along axis d. Throws
/// `too_large` beyond 65536 of them.
std::vector<std::uint8_t> list_indices(const IndexSet& set);

/// Eigenvalue of the tensor Sobolev kernel sum over j of lambda_j phi_j(x) phi_j(y): the product over d of
/// (1 + k_d^2)^-smoothness.
double sobolev_eigenvalue(std::span<const std::uint8_t> index, std::span<const std::uint8_t> periodic,
                          double smoothness);

/// sqrt(sum over j of c_j^2 / lambda_j): the norm in the kernel's space of the function with these coefficients.
double rkhs_norm(std::span<const double> coefficients, std::span<const double> eigenvalues);

}  // namespace mercer

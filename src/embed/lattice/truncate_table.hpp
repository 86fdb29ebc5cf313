#pragma once

#include "embed/payload/lattice_code.hpp"
#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// The fewest coefficients that keep the share `energy` (0 to 1, exclusive) of all energy but the mean's.
std::size_t k_for_energy(const Truncation& truncation, double energy);

/// What a table had before K of it was kept, and what those cost.
struct KeptTable {
  double energy = 0;  ///< of all coefficients
  ParameterCount parameters;
};

/// Trains the basis of `options` on the table of `lattice`, chooses K and fills the order of rows, K and what is kept
/// into `code`, whose basis is there. Throws `out_of_range` for K, `bad_value` for svd on axes.
KeptTable truncate_table(const Lattice& lattice, const TruncationOptions& options, std::uint64_t seed,
                         LatticeCode& code);

/// What the SVD of a table with so many columns has taken off every entry.
double svd_centre(const SvdOptions& svd, std::size_t columns);

}  // namespace mercer

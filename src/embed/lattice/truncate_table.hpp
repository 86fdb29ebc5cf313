#pragma once

#include "embed/payload/lattice_code.hpp"
#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"

namespace mercer {

/// Half of the coefficients that can differ from zero, for a trained basis of a table with `rows` distributions. Those
/// sum to one, so of n m coefficients in the Fourier, cosine and orthonormal tensor wavelet bases n - 1 are zero
/// whatever the policy does; elsewhere all count.
std::size_t half_of_free(const Basis& basis, std::size_t rows);

/// The fewest coefficients that keep the share `energy` (0 to 1, exclusive) of all energy but the mean's.
std::size_t k_for_energy(const Truncation& truncation, double energy);

/// Trains the basis on the table of `lattice`, chooses K and fills the order of rows, K and what is kept into `code`.
/// Returns the energy of all coefficients. Throws `out_of_range` for K, `bad_value` for svd on axes.
double truncate_table(Basis& basis, const Lattice& lattice, const TruncationOptions& options, LatticeCode& code);

/// What the SVD of a table with so many columns has taken off every entry.
double svd_centre(const SvdBasis& svd, std::size_t columns);

}  // namespace mercer

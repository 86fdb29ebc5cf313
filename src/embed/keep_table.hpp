#pragma once

#include "embed/lattice_code.hpp"
#include "mercer/basis/svd.hpp"
#include "mercer/embed/lattice_embedding.hpp"

namespace mercer {

/// Trains the basis on the table of `lattice`, chooses K and fills the order of rows, K and what is kept into `code`.
/// Returns the energy of all coefficients. Throws `out_of_range` for K, `bad_value` for svd on axes.
double keep_table(Basis& basis, const Lattice& lattice, const TruncationOptions& options, LatticeCode& code);

/// What the SVD of a table with so many columns has taken off every entry.
double svd_centre(const SvdBasis& svd, std::size_t columns);

}  // namespace mercer

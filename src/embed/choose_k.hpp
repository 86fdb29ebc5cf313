#pragma once

#include "mercer/basis/basis.hpp"
#include "mercer/basis/truncation.hpp"

namespace mercer {

/// Half of the coefficients that can differ from zero, for a trained basis of a table with `rows` distributions. Those
/// sum to one, so of n m coefficients in the Fourier, cosine and orthonormal tensor wavelet bases n - 1 are zero
/// whatever the policy does; elsewhere all count.
std::size_t half_of_free(const Basis& basis, std::size_t rows);

/// The fewest coefficients that keep the share `energy` (0 to 1, exclusive) of all energy but the mean's.
std::size_t k_for_energy(const Truncation& truncation, double energy);

}  // namespace mercer

#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "embed/payload/lattice_code.hpp"
#include "mercer/basis.hpp"

namespace mercer {

// Ways to write a table row by row (`BasisSpec::row_by_row`), which are no basis of it.

/// K where none was given: 3 for gmm and 8 for fixed_gmm, but not more components than columns; 100 for mle.
std::size_t usual_k(BasisFamily family, std::size_t columns);

/// Writes every row of `table` with `code.k` components or draws, on all allowed threads: fills numbers and indices of
/// `code`, whose grids and basis are there. Throws `bad_value` for mixtures of actions of several dimensions,
/// `out_of_range` for K.
void keep_rows(const PolicyTable& table, std::uint64_t seed, LatticeCode& code);

/// Numbers that a row of a mixture of K holds.
std::size_t numbers_of_row(BasisFamily family, std::size_t k);

/// The K components of `fixed_gmm`, which no file has to hold.
Mixture fixed_components(const Edges& bins, std::size_t k);

/// The rows again, one by one: a mixture's mass of each bin, with the tails in those at the ends. Throws
/// `corrupt_file`.
std::unique_ptr<const RowEvaluator> model_rows(const LatticeCode& code, const std::string& where);

/// Published is 4 K for each row of a mixture; stored are the numbers kept.
ParameterCount row_parameters(const LatticeCode& code);

}  // namespace mercer

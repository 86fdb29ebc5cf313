#pragma once

#include <span>
#include <string>
#include <vector>

#include "mercer/basis.hpp"
#include "mercer/certify.hpp"

namespace mercer {

/// What the kernel on a whole table says of each of its rows.
struct TableKernelBound {
  std::vector<double> TV;  ///< of each row, at least; empty where there is none
  std::string why_not;     ///< then, a sentence
};

/// A table delta in the basis that an embedding keeps it in: delta = sum_k xi_k f_k over entries x = (s, a), and with
/// the kernel kappa(x, y) = sum_k lambda_k f_k(x) f_k(y), by Cauchy and Schwarz,
///   TV(s) = 1/2 sum_a |delta(s, a)| <= 1/2 sum_a sqrt(kappa(x, x)) sqrt(sum_k xi_k^2 / lambda_k).
/// Fourier, dct and tensor wavelets have products along the axes of the table, with the eigenvalues of
/// `kernel_of_basis` along each; other wavelets are listed one by one, for tables of at most 4,096 entries. The SVD has
/// too few functions for a difference of tables, mixtures have none.
///
/// `shape` is that of the table with the actions' axes last, `places` where the rows of delta stand in it; elsewhere
/// delta is zero. O(N log N + sum of squared axes) for N entries, axes up to 8,192.
TableKernelBound table_kernel_bound(const BasisSpec& basis, const std::vector<std::size_t>& shape,
                                    const std::vector<std::size_t>& places, std::span<const double> delta);

}  // namespace mercer

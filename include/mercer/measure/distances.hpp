#pragma once

#include <cstddef>
#include <span>

namespace mercer {

/// Wasserstein distance between distributions on numbers: the area between their distribution functions. Weights are
/// not negative and are normalised; left out, all count the same. O((n + m) log (n + m)). Throws `shape_mismatch` for
/// no numbers or weights that do not fit, `bad_distribution` for weights that are negative, not finite or sum to zero,
/// `not_finite` for numbers that are not.
double wasserstein(std::span<const double> x, std::span<const double> y, std::span<const double> wx = {},
                   std::span<const double> wy = {});

/// The same for two rows of probabilities on one set of rising atoms: sum over j of |F_j - G_j| (a_{j+1} - a_j), in
/// O(m).
double wasserstein_on_atoms(std::span<const double> p, std::span<const double> q, std::span<const double> atoms);

/// Half of the sum of |p - q|.
double total_variation(std::span<const double> p, std::span<const double> q);

/// Distances between two tables of probabilities, averaged over rows with `weights` (visits; empty: all rows equal).
struct TableDistance {
  double w1 = 0;       ///< mean of the rows' Wasserstein distances
  double tv = 0;       ///< mean of the rows' total variations
  double most_tv = 0;  ///< the largest of them
};
/// Row-major tables with `atoms.size()` columns. Throws `shape_mismatch` when sizes differ.
TableDistance table_distance(std::span<const double> p, std::span<const double> q, std::span<const double> atoms,
                             std::span<const double> weights = {});

}  // namespace mercer

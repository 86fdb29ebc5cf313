#pragma once

#include <span>
#include <vector>

#include "mercer/matrix_view.hpp"

namespace mercer {

/// Areas between the empirical distribution function F of a sample and its steps on `bins` quantile bins, with edges
/// q_0 = smallest, q_i = x_(ceil(N i / bins)).
struct BinAreas {
  std::vector<double> edges;     ///< bins + 1, not falling
  std::vector<double> integral;  ///< of F over each bin
  std::vector<double> ceil;      ///< integral - (i / bins) width: not above 0
  std::vector<double> floor;     ///< integral - ((i - 1) / bins) width: not below 0
};
/// O(N log N). Throws `shape_mismatch` for no data, `out_of_range` for no bins, `not_finite`.
BinAreas bin_areas(std::span<const double> data, std::size_t bins);

/// The volume of the discretisation theorem, sum_i |ceil^S_i| sum_j |ceil^A_ij|, with action bins made from the actions
/// in each state bin. In several dimensions i runs over the cells that hold data and j over the products of action
/// bins, and |ceil| of a product of bins is the product over its dimensions.
struct DiscretisationVolume {
  double printed = 0;  ///< the printed integrand is the discretised distribution function: every term is 0
  double fixed = 0;    ///< with the empirical distribution function
};
/// Columns are steps; one number of bins for each row.
DiscretisationVolume discretisation_volume(MatrixView<const double> states, MatrixView<const double> actions,
                                           std::span<const std::size_t> state_bins,
                                           std::span<const std::size_t> action_bins);

/// sup |F_N - F| for states of N independent trajectories, whatever the dependence inside one: with probability
/// 1 - delta at most sqrt(ln(2 k / delta) / (2 N)) + 1 / k, with k = sqrt(N) rounded up points.
double distribution_band(std::size_t trajectories, double delta);

}  // namespace mercer

#include <algorithm>
#include <cmath>

#include "certify/bound_list.hpp"

namespace mercer {
namespace {

double l1(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += std::abs(value);
  return sum;
}

double l2(std::span<const double> x) { return std::sqrt(sum_of(x, x)); }

// The largest L1 norm of a row.
double row_norm(std::span<const double> matrix, std::size_t n) {
  double largest = 0;
  for (std::size_t s = 0; s < n; ++s) largest = std::max(largest, l1(matrix.subspan(s * n, n)));
  return largest;
}

void add_stationary(const TabularComparison& c, BoundList& list) {
  using Of = Quantity;
  const LongRun &run1 = c.long_run1, &run2 = c.long_run2;
  const std::string needs = "the process, one closed class of states under each policy";
  const double steepest = std::ranges::max(c.E_row_l1);
  list.add("C1/Z1", Of::stationary_l1, run1.tau * l1(c.rho2_E), needs);
  list.add("C1/Z2", Of::stationary_l1, run2.tau * l1(c.rho1_E), needs);
  list.add("C1/rows", Of::stationary_l1, run1.tau * sum_of(run2.rho, c.E_row_l1), needs);
  list.add("C1/TV", Of::stationary_l1, 2 * run1.tau * sum_of(run2.rho, c.TV), needs);
  list.add("C1/alpha", Of::stationary_l1, 2 * run1.tau * c.alpha, needs);
  list.add("C1/Z_norm", Of::stationary_l1, row_norm(run1.Z, c.mdp.n) * steepest, needs);
  list.add("C1/G_norm", Of::stationary_l1, row_norm(run1.G, c.mdp.n) * steepest, needs);
  list.least("C1");
  list.add("C2/Z1", Of::stationary_max, run1.kappa3 * steepest, needs);
  list.add("C2/Z2", Of::stationary_max, run2.kappa3 * steepest, needs);
  list.least("C2");
  list.add("C3/Z1", Of::stationary_l2, l2(run2.rho) * run1.Z_norms.sinf * c.E_spectral, needs);
  list.add("C3/Z2", Of::stationary_l2, l2(run1.rho) * run2.Z_norms.sinf * c.E_spectral, needs);
  if (c.T3_spectral > 0) {
    list.add("C3/frobenius", Of::stationary_l2, l2(run2.rho) * run1.Z_norms.sinf * c.delta_norms.s2 * c.T3_spectral,
             needs);
  }
  list.least("C3");
}

}  // namespace

void add_coverage_bounds(const TabularComparison& c, BoundList& list) {
  using Of = Quantity;
  if (c.long_run_applicable()) {
    add_stationary(c, list);
  } else {
    std::string why = c.long_run1.applicable ? c.long_run2.reason : c.long_run1.reason;
    if (why.empty()) why = "the long run was not computed";
    list.skip("C1", Of::stationary_l1, why);
    list.skip("C2", Of::stationary_max, why);
    list.skip("C3", Of::stationary_l2, why);
  }
  const double g = c.mdp.gamma;
  const double weighted = std::min(sum_of(c.policy1.d, c.TV), sum_of(c.policy2.d, c.TV)) / (1 - g);
  list.add("C4", Of::occupancy_l1, 2 * g * std::min(c.E_gamma_tau, weighted), "the process, or rollouts of one policy");
}

}  // namespace mercer

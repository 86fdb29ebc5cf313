#pragma once

#include "mercer/measure/long_run.hpp"
#include "mercer/measure/tabular.hpp"

namespace mercer {

struct ComparisonOptions {
  TabularOptions solver;
  bool long_run = true;  ///< also what needs the fundamental matrix, where it exists and n is at most 3000
};

/// Two policies in the same finite process, and all that the bounds on their difference are made of.
struct TabularComparison {
  SparseMdp mdp;
  std::vector<double> pi1, pi2;      ///< the reference and the approximation, n x m
  std::vector<double> delta;         ///< pi2 - pi1; zero where episodes have ended, since nothing is played there
  std::vector<double> TV;            ///< half of the L1 norm of each row of delta
  double alpha = 0;                  ///< the largest of them
  double delta_r = 0;                ///< largest reward minus smallest
  double r_M = 0;                    ///< largest |reward|
  TabularSolution policy1, policy2;  ///< values, critics, occupancies
  std::vector<double> coupled;       ///< min(pi1, pi2): what maximally coupled policies do together
  double E_gamma_tau = 0;            ///< mu (I - g K)^-1 TV, tau the first step where coupled actions differ
  LongRun long_run1, long_run2;
  std::vector<double> E_row_l1;        ///< sum over s' of |P2 - P1| in each state
  std::vector<double> rho2_E, rho1_E;  ///< rows rho2 (P2 - P1) and rho1 (P1 - P2)
  double E_spectral = 0;               ///< largest singular value of P2 - P1
  SchattenNorms delta_norms;           ///< of delta as a matrix
  double T3_frobenius = 0;             ///< Schatten norms of the third unfolding of P, n x (m n)
  double T3_spectral = 0;

  double difference() const { return policy1.eta - policy2.eta; }
  /// Nobody knows the difference better than this.
  double difference_error() const { return policy1.eta_error + policy2.eta_error; }
  bool long_run_applicable() const { return long_run1.applicable && long_run2.applicable; }
};

/// Only what compares the tables row by row: delta, TV, alpha, coupled and the rewards' range. Nothing is solved, so
/// any discount will do.
TabularComparison compare_rows(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2);

/// Solves for both policies. About 0.4 ms for 20 states, 0.06 without the long run; O(n^3). Throws `shape_mismatch`,
/// `bad_distribution`, and `out_of_range` for gamma = 1.
TabularComparison compare(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options = {});
TabularComparison compare(const TabularMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options = {});

}  // namespace mercer

#pragma once

#include "mercer/measure/sparse_mdp.hpp"

namespace mercer {

/// How the linear systems of a finite process are solved. Every way ends with one step of refinement in long double.
enum class TabularSolver {
  automatic,  ///< dense up to 600 states, `direct` for up to 10^5 whose transitions reach near states, else `iterative`
  dense,      ///< LU of the whole matrix: O(n^3)
  direct,     ///< sparse LU
  iterative,  ///< BiCGSTAB, and value iteration where it does not converge
};

struct TabularOptions {
  TabularSolver solver = TabularSolver::automatic;
  double tolerance = 1e-13;  ///< of the iterative solver, relative to the right side; 1e-16 to 1
};

/// A policy in a finite process, discounted with gamma < 1.
struct TabularSolution {
  std::vector<double> V;       ///< (I - g P_pi)^-1 r_pi
  std::vector<double> Q;       ///< r + g P V, row-major
  std::vector<double> A;       ///< Q - V
  std::vector<double> span_A;  ///< max_a A - min_a A in each state
  std::vector<double> d;       ///< (1 - g) (I - g P_pi^T)^-1 mu: discounted visits, sum to one
  double eta = 0;              ///< mu V
  double eps_bar = 0;          ///< max |A|
  /// No entry of V is farther than this from the solution for the process as stored: the largest residual with its
  /// rounding errors, divided by 1 - g.
  double V_error = 0;
  double eta_error = 0;  ///< the same for eta
};

/// Solves for a policy (n x m, rows that sum to one: see `checked_policy`). Throws `out_of_range` for gamma >= 1.
TabularSolution solve_tabular(const SparseMdp& mdp, std::span<const double> pi, const TabularOptions& options = {});

/// max_s |r_pi - (I - g P_pi) V| / (1 - g), an upper bound that counts every rounding error of its own evaluation.
double value_error(const SparseMdp& mdp, std::span<const double> pi, std::span<const double> V);

/// x with (I - g C) x = b, or with the transpose of C.
std::vector<double> solve_discounted(const PolicyChain& chain, double gamma, std::span<const double> b, bool transposed,
                                     const TabularOptions& options = {});

}  // namespace mercer

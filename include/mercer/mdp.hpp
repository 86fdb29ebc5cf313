#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"

namespace mercer {

/// A finite Markov decision process by its transitions that are not zero. A state where episodes end is absorbing and
/// pays nothing, whatever is done there.
struct SparseMdp {
  std::size_t n = 0;
  std::size_t m = 0;
  std::vector<std::size_t>
      offsets;                      ///< n m + 1: transitions of (s, a) are offsets[s m + a] .. offsets[s m + a + 1] - 1
  std::vector<std::uint32_t> next;  ///< s'
  std::vector<double> probability;  ///< P[s][a][s']; sums to one over each (s, a)
  std::vector<double> r;            ///< r[s m + a]
  std::vector<double> mu;           ///< start distribution
  double gamma = 0.99;
  std::uint32_t horizon = 1;
  std::vector<std::uint8_t> terminal;  ///< 1 for states where an episode ends; empty for none

  bool is_terminal(std::size_t s) const { return !terminal.empty() && terminal[s] != 0; }
};

/// Checks the process (`check_mdp`), makes rows sum to one and final states absorbing. O(n m n).
SparseMdp sparse_mdp(const TabularMdp& mdp);

/// The smallest and the largest reward; a final state pays 0.
Range reward_range(const SparseMdp& mdp);

/// Throws `shape_mismatch` unless there is a row for each state, `bad_distribution` unless each is one. Returns the
/// table with rows that sum to one.
std::vector<double> checked_policy(const SparseMdp& mdp, std::span<const double> pi, const std::string& where);

/// A Markov chain, or a part of one whose rows sum to less than one, with its rewards.
struct PolicyChain {
  std::size_t n = 0;
  std::vector<std::size_t> offsets;  ///< n + 1
  std::vector<std::uint32_t> next;   ///< rising in each row
  std::vector<double> probability;   ///< P_pi[s][s'] = sum_a pi[s][a] P[s][a][s']
  std::vector<double> r;             ///< r_pi[s] = sum_a pi[s][a] r[s][a]
};

/// The chain of a policy, or of any weights that are not negative (n x m). O(transitions).
PolicyChain policy_chain(const SparseMdp& mdp, std::span<const double> weights);

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

/// Norms of the singular values: their sum, the root of the sum of their squares, the largest.
struct SchattenNorms {
  double s1 = 0;
  double s2 = 0;
  double sinf = 0;
};
/// O(rows cols min(rows, cols)). Throws `shape_mismatch` for an empty matrix.
SchattenNorms schatten_norms(MatrixView<const double> matrix);

/// The largest singular value alone, from the smaller of the two Gram matrices.
double spectral_norm(MatrixView<const double> matrix);

/// The closed communicating classes of a chain, each with its states rising: where it ends up sooner or later. Tarjan's
/// algorithm, O(transitions).
std::vector<std::vector<std::uint32_t>> closed_classes(const PolicyChain& chain);

/// What a chain does in the long run. Defined where there is one closed class.
struct LongRun {
  bool applicable = false;
  std::string reason;       ///< why it is not applicable
  std::vector<double> rho;  ///< rho P = rho, sums to one; zero on transient states
  std::vector<double> Z;    ///< (I - P + 1 rho^T)^-1, the fundamental matrix, row-major
  std::vector<double> G;    ///< Z - 1 rho^T, the group inverse of I - P
  SchattenNorms Z_norms;
  double tau = 0;     ///< half of the largest L1 distance between two rows of Z: the ergodicity coefficient of G
  double kappa3 = 0;  ///< max_j (G_jj - min_i G_ij) / 2
};

/// rho by elimination without subtractions (Grassmann, Taksar, Heyman), accurate in every entry. O(c^3) for c states in
/// the closed class, which `states` names.
std::vector<double> stationary_distribution(const PolicyChain& chain, std::span<const std::uint32_t> states);

/// O(n^3). Not applicable for more than one closed class, or for more than 3000 states.
LongRun long_run(const PolicyChain& chain);

/// A policy in a finite process over T steps, with any discount up to 1.
struct FiniteHorizon {
  std::size_t T = 0;
  double gamma = 1;
  double eta = 0;              ///< sum over t < T of gamma^t E[r_t]
  double eta_error = 0;        ///< no farther than this from the value for the process as stored, rounding counted
  std::vector<double> V;       ///< (T + 1) x n: V[t n + s] is the return of steps t .. T - 1, discounted from t
  std::vector<double> visits;  ///< T x n: the probability of being in s at step t
};

/// O(T transitions). `pi` as for `solve_tabular`; T from 1 to 10^9 with n T up to 10^8 (`too_large`).
FiniteHorizon solve_finite_horizon(const SparseMdp& mdp, std::span<const double> pi, std::size_t T, double gamma);

}  // namespace mercer

#pragma once

#include "mercer/measure/sparse_mdp.hpp"

namespace mercer {

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

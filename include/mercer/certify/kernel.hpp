#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// A kernel on m actions, by Mercer's form kappa(a, b) = sum_k lambda_k e_k(a) e_k(b) with orthonormal e_k. Functions
/// f = sum_k xi_k e_k have the norm ||f||_H^2 = sum_k xi_k^2 / lambda_k, and |f(a)| <= sqrt(kappa(a, a)) ||f||_H.
struct ActionKernel {
  std::string name;
  std::size_t m = 0;
  std::vector<double> e;         ///< e[k m + a], in the order in which coefficients are kept
  std::vector<double> lambda;    ///< above 0
  std::vector<double> diagonal;  ///< kappa(a, a)
  double M = 0;                  ///< the largest sqrt(kappa(a, a))
};

/// Kernels by name, for actions a = 0 .. m - 1:
/// "identity": Fourier functions with lambda = 1, so that the norm is the Euclidean one;
/// "sobolev": Fourier functions, lambda = (1 + k)^-2 for frequency k;
/// "fourier": the same, lambda = 1 / (1 + 4 sin^2(pi k / m)) (Matern's kernel on the cycle);
/// "dct": cosines, lambda = 1 / (1 + 4 sin^2(pi k / 2m)) (on the path);
/// "haar": Haar's wavelets of scale j, lambda = 4^-j, for m a power of two;
/// "svd": right singular vectors of the table `rows` (rows of m), lambda = sigma^2, at least 1e-12 of the largest.
/// Throws `unknown_name`; `shape_mismatch` for a table or m that does not fit. O(m^2), for svd O(n m^2).
ActionKernel make_action_kernel(std::string_view name, std::size_t m, std::span<const double> rows = {});

/// The same functions with other eigenvalues, which must be positive (`out_of_range`).
ActionKernel with_eigenvalues(ActionKernel kernel, std::vector<double> lambda);

/// xi[s m + k] = <row s, e_k>, O(n m^2).
std::vector<double> kernel_coefficients(const ActionKernel& kernel, std::span<const double> rows);

/// sum over k in [begin, end) of xi_k^2 / lambda_k for each row of coefficients.
std::vector<double> squared_norms(const ActionKernel& kernel, std::span<const double> xi, std::size_t begin,
                                  std::size_t end);

/// The geometric tail lemma: |xi_k| <= eps^k sqrt(lambda_k) for k > K (counted from 1) gives a tail of squared norms of
/// at most E_K = eps^(2 (K + 1)) / (1 - eps^2), for eps < 1 only.
struct GeometricTail {
  double tail = 0;      ///< the largest over the rows
  double eps = 0;       ///< eps*, the smallest that all rows allow
  double bound = 0;     ///< E_K as printed; below zero or infinite where eps >= 1
  double bound_finite;  ///< with the sum over k <= m alone
};
GeometricTail geometric_tail(std::span<const double> xi, std::span<const double> lambda, std::size_t K);
/// E_K for a given eps, as printed, and with D functions in all.
double geometric_bound(double eps, std::size_t K);
double geometric_bound(double eps, std::size_t K, std::size_t D);

}  // namespace mercer

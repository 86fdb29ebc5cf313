#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Kernels of the distance rho = |x - y| / length, with k(x, x) = 1.
enum class Kernel {
  gaussian,  ///< exp(-rho^2 / 2)
  matern32,  ///< (1 + sqrt(3) rho) exp(-sqrt(3) rho)
  matern52,  ///< (1 + sqrt(5) rho + 5 rho^2 / 3) exp(-sqrt(5) rho)
};

std::string_view kernel_name(Kernel kernel);
Kernel parse_kernel(std::string_view name);  ///< throws `unknown_name`

/// k at a squared distance in units of the length: rho^2.
double kernel_value(Kernel kernel, double squared);

/// out(i, j) = k(column i of x, column j of y), |.| Euclidean over the rows. O(columns^2 rows), on all threads.
void kernel_matrix(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y,
                   MatrixView<double> out);

/// The tensor Sobolev kernel on [-1, 1]^d by its cosines: the product over axes of the sum over k up to `most` of
/// (1 + k^2)^-smoothness phi_k(x_d) phi_k(y_d).
double sobolev_kernel(std::span<const double> x, std::span<const double> y, double smoothness, std::size_t most = 64);

/// Points that span a kernel's space well on the given ones, found one after the other where what is left is largest
/// (P-greedy): a pivoted Cholesky factorisation of the kernel matrix, of which K columns are ever computed.
struct Landmarks {
  std::vector<std::size_t> chosen;  ///< columns of the points, in the order they were chosen
  std::vector<double> power;        ///< for each point sqrt(k(x,x) - k_z(x)' K_zz^-1 k_z(x)), the power function
  std::vector<double> largest;      ///< the largest power before each choice
};
/// At most `count` points; fewer when nothing above `tolerance` is left. Ties go to the first. O(N K^2 + N K rows).
Landmarks choose_landmarks(Kernel kernel, double length, MatrixView<const double> points, std::size_t count,
                           double tolerance = 1e-7);

/// sqrt(k(x,x) - k_z' (K_zz + ridge I)^-1 k_z) at columns of `x`: where a function of norm B was interpolated at the
/// landmarks (or, with a ridge, fitted to exact values there), it is off by at most B times this.
void power_function(Kernel kernel, double length, MatrixView<const double> landmarks, MatrixView<const double> x,
                    std::span<double> out, double ridge = 0);

/// C = (K_xz' W K_xz + lambda N K_zz)^-1 K_xz' W Theta: coefficients, one row for each output, of the regularised
/// weighted fit to `targets` (one row for each output) at columns of `x`. Weights: one for each column; empty: all one.
std::vector<double> kernel_fit(Kernel kernel, double length, MatrixView<const double> landmarks,
                               MatrixView<const double> x, MatrixView<const double> targets,
                               std::span<const double> weights = {}, double lambda = 1e-8);

/// Direction and phase of random Fourier features sqrt(2) cos(w . x + b): mean products of them are the kernel. w is
/// normal for the Gaussian kernel, multivariate t with 3 or 5 degrees of freedom for the Matern ones, divided by the
/// length. Feature `index` depends on nothing but the seed and its index. `out` has a place for each dimension and one
/// for b.
void random_feature(Kernel kernel, double length, std::uint64_t seed, std::size_t index, std::span<double> out);

}  // namespace mercer

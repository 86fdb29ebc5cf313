#include <cmath>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "mercer/certify.hpp"
#include "support/errors.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

ActionKernel kernel_of(const std::string& name, std::size_t m) {
  return make_action_kernel(parse<ActionKernelKind>(name), m, random_policy(20, m, 3).values);
}

TEST(ActionKernel, functions_are_orthonormal) {
  for (const std::string& name : names<ActionKernelKind>()) {
    for (const std::size_t m : {1, 2, 4, 8}) {
      const ActionKernel kernel = kernel_of(name, m);
      for (std::size_t k = 0; k < m; ++k) {
        for (std::size_t l = 0; l < m; ++l) {
          double product = 0;
          for (std::size_t a = 0; a < m; ++a) product += kernel.e[k * m + a] * kernel.e[l * m + a];
          EXPECT_NEAR(product, k == l ? 1 : 0, 1e-12) << name << " " << m;
        }
      }
    }
  }
}

// The squared norm is also f^T kappa^-1 f with the matrix of the kernel, and values are bounded by it.
TEST(ActionKernel, norms_are_those_of_the_kernel_matrix) {
  constexpr Eigen::Index m = 8;
  for (const std::string& name : names<ActionKernelKind>()) {
    const ActionKernel kernel = kernel_of(name, m);
    Eigen::MatrixXd kappa = Eigen::MatrixXd::Zero(m, m);
    for (std::size_t k = 0; k < m; ++k) {
      const Eigen::Map<const Eigen::VectorXd> e(&kernel.e[k * m], m);
      kappa += kernel.lambda[k] * e * e.transpose();
    }
    const std::vector<double> rows = random_table({5, m}, 9).values;
    const std::vector<double> squared = squared_norms(kernel, kernel_coefficients(kernel, rows), 0, m);
    for (std::size_t s = 0; s < 5; ++s) {
      const Eigen::Map<const Eigen::VectorXd> f(&rows[s * m], m);
      EXPECT_NEAR(squared[s] / f.dot(kappa.partialPivLu().solve(f)), 1, 1e-8) << name;
      for (std::size_t a = 0; a < m; ++a) {
        EXPECT_LE(std::abs(rows[s * m + a]), std::sqrt(kernel.diagonal[a] * squared[s]) * (1 + 1e-12)) << name;
        EXPECT_NEAR(kernel.diagonal[a], kappa(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(a)), 1e-12);
      }
    }
  }
}

TEST(ActionKernel, scaling_it_changes_no_bound_on_values) {
  const ActionKernel kernel = kernel_of("sobolev", 6);
  std::vector<double> scaled = kernel.lambda;
  for (double& lambda : scaled) lambda *= 100;
  const ActionKernel other = with_eigenvalues(kernel, scaled);
  const std::vector<double> row = random_table({1, 6}, 4).values;
  const auto bound = [&](const ActionKernel& own) {
    return own.M * std::sqrt(squared_norms(own, kernel_coefficients(own, row), 0, 6)[0]);
  };
  EXPECT_NEAR(bound(kernel), bound(other), 1e-12);
}

TEST(ActionKernel, a_policy_has_at_most_norm_one_in_its_own_svd_kernel) {
  const Table table = random_policy(20, 5, 3);
  const ActionKernel kernel = make_action_kernel(ActionKernelKind::svd, 5, table.values);
  for (const double squared : squared_norms(kernel, kernel_coefficients(kernel, table.values), 0, 5)) {
    EXPECT_LE(squared, 1 + 1e-9);  // leverage scores
  }
}

TEST(ActionKernel, bad_input_is_refused) {
  expect_error(ErrorCode::unknown_name, "sobolew", [] { parse<ActionKernelKind>("sobolew"); });
  expect_error(ErrorCode::shape_mismatch, "Haar", [] { make_action_kernel(ActionKernelKind::haar, 6); });
  expect_error(ErrorCode::shape_mismatch, "table", [] { make_action_kernel(ActionKernelKind::svd, 6); });
  expect_error(ErrorCode::out_of_range, "actions", [] { make_action_kernel(ActionKernelKind::dct, 0); });
  expect_error(ErrorCode::out_of_range, "eigenvalue", [] {
    with_eigenvalues(make_action_kernel(ActionKernelKind::dct, 2), {1, 0});
  });
  expect_error(ErrorCode::shape_mismatch, "eigenvalues",
               [] { with_eigenvalues(make_action_kernel(ActionKernelKind::dct, 2), {1}); });
}

}  // namespace
}  // namespace mercer

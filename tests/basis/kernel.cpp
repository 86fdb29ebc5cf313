#include <cmath>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "mercer/functions.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Kernel kernels[] = {Kernel::gaussian, Kernel::matern32, Kernel::matern52};

std::vector<double> random_points(std::size_t rows, std::size_t count, std::uint64_t seed) {
  std::vector<double> out(rows * count);
  Random random({seed, Stage::start, 0, 0});
  for (double& value : out) value = 2 * random.uniform() - 1;
  return out;
}

Matrix gram(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y) {
  Matrix out(x.cols(), y.cols());
  kernel_matrix(kernel, length, x, y, {out.data(), x.cols(), y.cols()});
  return out;
}

TEST(Kernels, are_positive) {
  const std::vector<double> x = random_points(4, 60, 1);
  const MatrixView<const double> view(x.data(), 4, 60);
  for (const Kernel kernel : kernels) {
    const Matrix k = gram(kernel, 0.8, view, view);
    EXPECT_EQ(k, k.transpose());
    EXPECT_NEAR(k.diagonal().minCoeff(), 1, 1e-15);
    EXPECT_GT(k.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-12) << name(kernel);
  }
  Matrix sobolev(20, 20);
  for (int i = 0; i < 20; ++i) {
    for (int j = 0; j < 20; ++j) {
      const std::vector<double> a{x[i], x[60 + i]}, b{x[j], x[60 + j]};
      sobolev(i, j) = sobolev_kernel(a, b, 1);
    }
  }
  EXPECT_GT(sobolev.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), 0);
}

TEST(Kernels, are_the_sum_of_their_eigenfunctions) {
  const IndexSet set{IndexRule::cross, 16, {}, {0, 0}};
  const std::vector<std::uint8_t> all = list_indices(set);
  const std::vector<double> x{0.3, -0.6};
  double sum = 0, largest = 0;
  std::vector<double> first(17), second(17);
  evaluate_family(Family::cosine, false, x[0], first);
  evaluate_family(Family::cosine, false, x[1], second);
  for (std::size_t j = 0; j < all.size(); j += 2) {
    const double lambda = sobolev_eigenvalue(std::span(all).subspan(j, 2), set.periodic, 3);
    largest = std::max(largest, lambda);
    sum += lambda * first[all[j]] * first[all[j]] * second[all[j + 1]] * second[all[j + 1]];
  }
  EXPECT_EQ(largest, 1);
  EXPECT_NEAR(sum, sobolev_kernel(x, x, 3), 1e-4);
}

TEST(Landmarks, are_those_of_a_dense_factorisation) {
  const std::vector<double> x = random_points(3, 80, 2);
  const MatrixView<const double> view(x.data(), 3, 80);
  for (const Kernel kernel : kernels) {
    const Landmarks found = choose_landmarks(kernel, 0.7, view, 12);
    const Matrix k = gram(kernel, 0.7, view, view);
    std::vector<std::size_t> chosen;
    Eigen::VectorXd left = k.diagonal();
    for (std::size_t step = 0; step < 12; ++step) {  // the point worst explained by those before, solved anew each time
      Eigen::Index worst = 0;
      left.maxCoeff(&worst);
      EXPECT_EQ(found.chosen[step], static_cast<std::size_t>(worst));
      EXPECT_NEAR(found.largest[step], std::sqrt(left[worst]), 1e-9);
      chosen.push_back(static_cast<std::size_t>(worst));
      const std::vector<Eigen::Index> z(chosen.begin(), chosen.end());
      const Matrix cross = k(Eigen::all, z), inner = k(z, z);
      left = k.diagonal() - (cross * inner.ldlt().solve(cross.transpose())).diagonal();
    }
    for (Eigen::Index i = 0; i < 80; ++i) EXPECT_NEAR(found.power[i], std::sqrt(std::max(0.0, left[i])), 1e-6);
  }
}

TEST(PowerFunction, bounds_the_error_of_interpolation) {
  const std::vector<double> z = random_points(2, 15, 3), x = random_points(2, 500, 4), own = random_points(2, 10, 5);
  const MatrixView<const double> landmarks(z.data(), 2, 15), at(x.data(), 2, 500), centres(own.data(), 2, 10);
  for (const Kernel kernel : kernels) {
    // A function of the kernel's space, whose norm is known.
    Eigen::VectorXd c = Eigen::VectorXd::LinSpaced(10, -1, 1);
    const double norm = std::sqrt(c.dot(gram(kernel, 0.6, centres, centres) * c));
    const Eigen::VectorXd truth = gram(kernel, 0.6, at, centres) * c;
    const Eigen::VectorXd values = gram(kernel, 0.6, landmarks, centres) * c;
    const Eigen::VectorXd weights = gram(kernel, 0.6, landmarks, landmarks).ldlt().solve(values);
    const Eigen::VectorXd guess = gram(kernel, 0.6, at, landmarks) * weights;
    std::vector<double> power(500);
    power_function(kernel, 0.6, landmarks, at, power);
    double slack = 1e300;
    for (std::size_t i = 0; i < 500; ++i) {
      const double promised = power[i] * norm, measured = std::abs(truth[i] - guess[i]);
      EXPECT_LE(measured, promised + 1e-7);
      if (measured > 1e-6) slack = std::min(slack, promised / measured);
    }
    std::cout << name(kernel) << ": error at most 1 / " << slack << " of what is promised\n";
  }
}

TEST(KernelFits, return_what_was_there) {
  const std::vector<double> z = random_points(3, 20, 6), x = random_points(3, 400, 7);
  const MatrixView<const double> landmarks(z.data(), 3, 20), at(x.data(), 3, 400);
  Matrix c = Matrix::Random(2, 20);
  const Matrix targets = c * gram(Kernel::matern52, 0.5, landmarks, at);
  const std::vector<double> weights(400, 0.7);
  const auto found = kernel_fit(Kernel::matern52, 0.5, landmarks, at, {targets.data(), 2, 400}, weights, 1e-12);
  for (Eigen::Index i = 0; i < c.size(); ++i) EXPECT_NEAR(found[i], c.data()[i], 1e-4);
}

TEST(RandomFeatures, become_the_kernel) {
  const std::vector<double> x = random_points(3, 12, 8);
  const MatrixView<const double> view(x.data(), 3, 12);
  for (const Kernel kernel : kernels) {
    const Matrix k = gram(kernel, 1.3, view, view);
    double before = 1e9;
    for (const std::size_t count : {500U, 8000U, 128000U}) {
      Matrix mean = Matrix::Zero(12, 12);
      std::vector<double> w(4);
      Eigen::VectorXd value(12);
      for (std::size_t j = 0; j < count; ++j) {
        random_feature(kernel, 1.3, 9, j, w);
        for (Eigen::Index i = 0; i < 12; ++i) {
          value[i] = std::cos(w[0] * view(0, i) + w[1] * view(1, i) + w[2] * view(2, i) + w[3]);
        }
        mean += 2 * value * value.transpose() / static_cast<double>(count);
      }
      const double off = (mean - k).cwiseAbs().maxCoeff();
      EXPECT_LT(off, 5 / std::sqrt(static_cast<double>(count))) << name(kernel);
      EXPECT_LT(off, before);
      before = off;
    }
  }
}

TEST(Kernels, are_known_by_name) {
  EXPECT_EQ(parse<Kernel>("matern32"), Kernel::matern32);
  expect_error(ErrorCode::unknown_name, "matern52", [] { parse<Kernel>("matern53"); });
}

}  // namespace
}  // namespace mercer

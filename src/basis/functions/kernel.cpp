#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>

#include "mercer/functions.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double jitter = 1e-10;  // times the diagonal: rounding may take a small eigenvalue below zero

Matrix kernel_of(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y) {
  Matrix out(x.cols(), y.cols());
  kernel_matrix(kernel, length, x, y, {out.data(), x.cols(), y.cols()});
  return out;
}

}  // namespace

double kernel_value(Kernel kernel, double squared) {
  if (kernel == Kernel::gaussian) return std::exp(-0.5 * squared);
  if (kernel == Kernel::matern32) {
    const double root = std::sqrt(3 * squared);
    return (1 + root) * std::exp(-root);
  }
  const double root = std::sqrt(5 * squared);
  return (1 + root + squared * (5.0 / 3)) * std::exp(-root);
}

void kernel_matrix(Kernel kernel, double length, MatrixView<const double> x, MatrixView<const double> y,
                   MatrixView<double> out) {
  const double per_square = 1 / (length * length);
  for_each_block(x.cols(), 64, [&](Block block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const std::span<double> row = out.row(i);
      for (double& value : row) value = 0;
      for (std::size_t d = 0; d < x.rows(); ++d) {
        for (std::size_t j = 0; j < y.cols(); ++j) row[j] += (x(d, i) - y(d, j)) * (x(d, i) - y(d, j));
      }
      for (double& value : row) value = kernel_value(kernel, value * per_square);
    }
  });
}

double sobolev_kernel(std::span<const double> x, std::span<const double> y, double smoothness, std::size_t most) {
  std::vector<double> at_x(most + 1), at_y(most + 1);
  double product = 1;
  for (std::size_t d = 0; d < x.size(); ++d) {
    evaluate_family(Family::cosine, false, x[d], at_x);
    evaluate_family(Family::cosine, false, y[d], at_y);
    double sum = 0;
    for (std::size_t k = 0; k <= most; ++k) {
      sum += std::pow(1 + static_cast<double>(k * k), -smoothness) * at_x[k] * at_y[k];
    }
    product *= sum;
  }
  return product;
}

void random_feature(Kernel kernel, double length, std::uint64_t seed, std::size_t index, std::span<double> out) {
  Random random({seed, Stage::feature, index, 0});
  const std::size_t dimensions = out.size() - 1;
  out[dimensions] = 2 * std::numbers::pi * random.uniform();
  for (std::size_t d = 0; d < dimensions; ++d) out[d] = random.normal() / length;
  const int freedom = kernel == Kernel::gaussian ? 0 : kernel == Kernel::matern32 ? 3 : 5;
  if (freedom == 0) return;
  double chi = 0;
  for (int i = 0; i < freedom; ++i) {
    const double z = random.normal();
    chi += z * z;
  }
  for (std::size_t d = 0; d < dimensions; ++d) out[d] *= std::sqrt(freedom / chi);
}

Landmarks choose_landmarks(Kernel kernel, double length, MatrixView<const double> points, std::size_t count,
                           double tolerance) {
  const std::size_t n = points.cols();
  count = std::min(count, n);
  Landmarks made;
  std::vector<double> left(n, 1.0);  // k(x, x) = 1
  std::vector<double> columns;       // of the Cholesky factor, one after the other
  const double per_square = 1 / (length * length);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t pivot = static_cast<std::size_t>(std::ranges::max_element(left) - left.begin());
    const double largest = std::sqrt(std::max(left[pivot], 0.0));
    if (!(largest > tolerance)) break;
    made.chosen.push_back(pivot);
    made.largest.push_back(largest);
    columns.resize((k + 1) * n);
    double* column = columns.data() + k * n;
    for_each_block(n, 1024, [&](Block block) {
      const std::size_t size = block.end - block.begin;
      double* own = column + block.begin;
      std::fill_n(own, size, 0.0);
      for (std::size_t d = 0; d < points.rows(); ++d) {
        const double at = points(d, pivot);
        const double* row = &points(d, block.begin);
        for (std::size_t i = 0; i < size; ++i) own[i] += (row[i] - at) * (row[i] - at);
      }
      for (std::size_t i = 0; i < size; ++i) own[i] = kernel_value(kernel, own[i] * per_square);
      for (std::size_t j = 0; j < k; ++j) {
        const double* before = columns.data() + j * n;
        const double at = before[pivot];
        for (std::size_t i = 0; i < size; ++i) own[i] -= at * before[block.begin + i];
      }
      for (std::size_t i = 0; i < size; ++i) {
        own[i] /= largest;
        left[block.begin + i] -= own[i] * own[i];
      }
    });
    left[pivot] = 0;
  }
  for (const double value : left) made.power.push_back(std::sqrt(std::max(value, 0.0)));
  return made;
}

void power_function(Kernel kernel, double length, MatrixView<const double> landmarks, MatrixView<const double> x,
                    std::span<double> out, double ridge) {
  Matrix gram = kernel_of(kernel, length, landmarks, landmarks);
  gram.diagonal().array() += ridge + jitter;
  const Eigen::LLT<Matrix> factor(gram);
  const Matrix cross = kernel_of(kernel, length, landmarks, x);
  const Matrix solved = factor.matrixL().solve(cross);
  for (std::size_t i = 0; i < x.cols(); ++i)
    out[i] = std::sqrt(std::max(0.0, 1 - solved.col(static_cast<Eigen::Index>(i)).squaredNorm()));
}

std::vector<double> kernel_fit(Kernel kernel, double length, MatrixView<const double> landmarks,
                               MatrixView<const double> x, MatrixView<const double> targets,
                               std::span<const double> weights, double lambda) {
  const Matrix cross = kernel_of(kernel, length, landmarks, x);
  Matrix weighted = cross;
  for (std::size_t i = 0; i < weights.size(); ++i) weighted.col(static_cast<Eigen::Index>(i)) *= weights[i];
  Matrix normal = weighted * cross.transpose();
  normal += lambda * static_cast<double>(x.cols()) * kernel_of(kernel, length, landmarks, landmarks);
  normal.diagonal().array() += jitter * normal.diagonal().maxCoeff();
  const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> theta(
      &targets(0, 0), static_cast<Eigen::Index>(targets.rows()), static_cast<Eigen::Index>(targets.cols()),
      Eigen::OuterStride<>(static_cast<Eigen::Index>(targets.stride())));
  const Matrix solved = normal.ldlt().solve(weighted * theta.transpose());
  const Matrix rows = solved.transpose();
  return {rows.data(), rows.data() + rows.size()};
}

}  // namespace mercer

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "mercer/functions.hpp"
#include "mercer/parallel.hpp"

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

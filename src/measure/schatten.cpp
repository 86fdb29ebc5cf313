#include "mercer/measure/schatten.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;

View eigen_view(MatrixView<const double> matrix) {
  if (matrix.rows() == 0 || matrix.cols() == 0) {
    throw Error(ErrorCode::shape_mismatch, "an empty matrix has no singular values", "Give at least one entry");
  }
  return {&matrix(0, 0), static_cast<Eigen::Index>(matrix.rows()), static_cast<Eigen::Index>(matrix.cols()),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(matrix.stride()))};
}

}  // namespace

SchattenNorms schatten_norms(MatrixView<const double> matrix) {
  const View view = eigen_view(matrix);
  const Eigen::BDCSVD<Eigen::MatrixXd> svd(view.rows() >= view.cols() ? Eigen::MatrixXd(view)
                                                                      : Eigen::MatrixXd(view.transpose()));
  const Eigen::VectorXd& sigma = svd.singularValues();
  return {sigma.sum(), sigma.norm(), sigma.maxCoeff()};
}

double spectral_norm(MatrixView<const double> matrix) {
  const View view = eigen_view(matrix);
  const Eigen::MatrixXd gram =
      view.rows() <= view.cols() ? Eigen::MatrixXd(view * view.transpose()) : Eigen::MatrixXd(view.transpose() * view);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues().maxCoeff()));
}

}  // namespace mercer

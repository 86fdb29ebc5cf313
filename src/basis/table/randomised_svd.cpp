#include <algorithm>

#include <Eigen/QR>

#include "basis/table/svd_eigen.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

Eigen::MatrixXd orthonormal_range(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), std::min(columns.rows(), columns.cols()));
}

}  // namespace

Svd randomised_svd(MatrixView<const double> table, std::size_t rank, const SketchOptions& options) {
  check_matrix(table);
  const std::size_t most = std::min(table.rows(), table.cols());
  require_in_range("rank", static_cast<double>(rank), 1, static_cast<double>(most),
                   "Ask for at most as many as the table has rows and columns");
  require_in_range("oversample", static_cast<double>(options.oversample), 0, 1000, "Ten is usual");
  require_in_range("powers", static_cast<double>(options.powers), 0, 20, "Two is usual");

  const Eigen::MatrixXd matrix = eigen_matrix(table);
  const auto width = static_cast<Eigen::Index>(std::min(most, rank + options.oversample));
  Eigen::MatrixXd directions(matrix.cols(), width);
  for (Eigen::Index row = 0; row < matrix.cols(); ++row) {
    Random random({options.seed, Stage::sketch, static_cast<std::uint64_t>(row), 0});
    for (Eigen::Index column = 0; column < width; ++column) directions(row, column) = random.normal();
  }
  // Between powers the range is made orthonormal again: otherwise every column turns towards the largest.
  Eigen::MatrixXd range = orthonormal_range(matrix * directions);
  for (std::size_t power = 0; power < options.powers; ++power) {
    range = orthonormal_range(matrix * orthonormal_range(matrix.transpose() * range));
  }
  const Svd inside = leading_svd(range.transpose() * matrix, rank);
  const auto k = static_cast<Eigen::Index>(rank);
  const Eigen::MatrixXd u = range * Eigen::Map<const RowMajorMatrix>(inside.u.data(), range.cols(), k);
  return leading_triples(u, Eigen::Map<const Eigen::VectorXd>(inside.s.data(), k),
                         Eigen::Map<const RowMajorMatrix>(inside.vt.data(), k, matrix.cols()).transpose(), rank);
}

}  // namespace mercer

#include <algorithm>
#include <cmath>

#include <Eigen/QR>
#include <fmt/format.h>

#include "basis/table/svd_eigen.hpp"
#include "core/eigen.hpp"
#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

struct Tall {
  Eigen::MatrixXd u, v;
  Eigen::VectorXd s;
};

// Q R first, then the small triangle: divide and conquer on the table itself takes about twice as long.
Tall tall_svd(const Eigen::Ref<const Eigen::MatrixXd>& table, std::size_t rank) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(table);
  const Eigen::MatrixXd triangle = qr.matrixQR().topRows(table.cols()).triangularView<Eigen::Upper>();
  const Eigen::BDCSVD<Eigen::MatrixXd> small(triangle, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const auto columns = static_cast<Eigen::Index>(rank);
  Tall result{Eigen::MatrixXd::Zero(table.rows(), columns), small.matrixV(), small.singularValues()};
  result.u.topRows(table.cols()) = small.matrixU().leftCols(columns);
  result.u.applyOnTheLeft(qr.householderQ());
  return result;
}

Eigen::MatrixXd orthonormal_range(const Eigen::MatrixXd& columns) {
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(columns);
  return qr.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), std::min(columns.rows(), columns.cols()));
}

}  // namespace

void check_matrix(MatrixView<const double> table) {
  if (table.rows() == 0 || table.cols() == 0) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("a table of {} x {} is empty", table.rows(), table.cols()),
                "Give at least one row and one column");
  }
  for (std::size_t row = 0; row < table.rows(); ++row) check_finite("the table", table.row(row));
}

Eigen::MatrixXd eigen_matrix(MatrixView<const double> table) {
  Eigen::MatrixXd matrix(table.rows(), table.cols());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const std::span<const double> values = table.row(row);
    matrix.row(static_cast<Eigen::Index>(row)) =
        Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  return matrix;
}

Svd leading_triples(const Eigen::Ref<const Eigen::MatrixXd>& u, const Eigen::Ref<const Eigen::VectorXd>& s,
                    const Eigen::Ref<const Eigen::MatrixXd>& v, std::size_t rank) {
  Svd result{static_cast<std::size_t>(u.rows()), static_cast<std::size_t>(v.rows()), rank, {}, {}, {}};
  result.u.resize(result.rows * rank);
  result.vt.resize(rank * result.columns);
  const auto k = static_cast<Eigen::Index>(rank);
  result.s.assign(s.data(), s.data() + k);
  Eigen::RowVectorXd signs(k);
  for (Eigen::Index i = 0; i < k; ++i) {
    // A factor's two entries of one magnitude differ by rounding; the first that is nearly the largest decides.
    const double largest = v.col(i).cwiseAbs().maxCoeff();
    Eigen::Index at = 0;
    while (std::abs(v(at, i)) < 0.999 * largest) ++at;
    signs(i) = v(at, i) < 0 ? -1 : 1;
  }
  Eigen::Map<RowMajorMatrix>(result.u.data(), u.rows(), k) = u.leftCols(k) * signs.asDiagonal();
  Eigen::Map<RowMajorMatrix>(result.vt.data(), k, v.rows()) = signs.asDiagonal() * v.leftCols(k).transpose();
  return result;
}

Svd leading_svd(const Eigen::Ref<const Eigen::MatrixXd>& table, std::size_t rank) {
  if (table.rows() < table.cols()) {  // the transpose is tall, with u and v exchanged
    const Eigen::MatrixXd transposed = table.transpose();
    const Tall tall = tall_svd(transposed, rank);
    return leading_triples(tall.v, tall.s, tall.u, rank);
  }
  const Tall tall = tall_svd(table, rank);
  return leading_triples(tall.u, tall.s, tall.v, rank);
}

Svd svd(MatrixView<const double> table) {
  check_matrix(table);
  return leading_svd(eigen_matrix(table), std::min(table.rows(), table.cols()));
}

Svd truncated_svd(MatrixView<const double> table, std::size_t rank) {
  check_matrix(table);
  require_in_range("rank", static_cast<double>(rank), 1, static_cast<double>(std::min(table.rows(), table.cols())),
                   "Ask for at most as many as the table has rows and columns");
  return leading_svd(eigen_matrix(table), rank);
}

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

#pragma once

#include <Eigen/Core>

#include "mercer/basis.hpp"

namespace mercer {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Throws `shape_mismatch` for an empty table, `not_finite` for NaN and infinity.
void check_matrix(MatrixView<const double> table);

/// The leading `rank` triples, exact.
Svd leading_svd(const Eigen::Ref<const Eigen::MatrixXd>& table, std::size_t rank);

/// Copies the first `rank` columns of u and v, with signs by the rule of `Svd`.
Svd leading_triples(const Eigen::Ref<const Eigen::MatrixXd>& u, const Eigen::Ref<const Eigen::VectorXd>& s,
                    const Eigen::Ref<const Eigen::MatrixXd>& v, std::size_t rank);

Eigen::MatrixXd eigen_matrix(MatrixView<const double> table);

}  // namespace mercer

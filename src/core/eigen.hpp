#pragma once

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

// Decompositions of dense matrices that several sources use. Compiled once, in core/eigen.cpp: each takes half a
// minute.
extern template class Eigen::BDCSVD<Eigen::MatrixXd>;
extern template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

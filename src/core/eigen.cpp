#include "core/eigen.hpp"

template class Eigen::BDCSVD<Eigen::MatrixXd>;
template class Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

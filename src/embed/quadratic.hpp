#pragma once

#include <Eigen/Core>

#include "mercer/embed/continuous_fit.hpp"

namespace mercer {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

/// What a fit lowers, around some coefficients: sums over all samples, the same whatever the threads.
struct Quadratic {
  double value = 0;
  Vector slope;
  Matrix curvature;
};

/// Of what `objective` judges output o by (half of it for squared errors), before it is divided by the number of
/// samples. Slope and curvature are only there when asked for. `hold` as in `Polish`.
Quadratic quadratic_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o, bool curvature,
                       double hold = 0);
/// Of half the weighted squared error of output o.
Quadratic squares_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o);

/// Numbers c on grids with these units, |c / unit| <= most; those of unit 0 stay free. What is not yet rounded moves to
/// where the quadratic around c is smallest, given what is. O(K^3).
Vector round_with_units(const Matrix& curvature, Vector c, const Vector& unit, int most);

}  // namespace mercer

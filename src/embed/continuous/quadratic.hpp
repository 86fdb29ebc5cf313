#pragma once

#include <Eigen/Core>

#include "mercer/embed.hpp"
#include "mercer/parallel.hpp"

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

/// The parts of such sums, for functions with more parameters than coefficients. Samples of one state are in one block.
std::size_t block_size(const Samples& samples);
/// What output o is judged by at a block's samples, where the function has the values f; its first derivatives by them;
/// and the weights that `add_curvature` wants.
double judge_block(const Samples& samples, std::size_t o, double hold, Block block, const Vector& f, Vector& first,
                   Vector& weights);
/// Adds the curvature of Gauss and Newton. `jacobian` has a row for each parameter and a column for each sample of the
/// block, and is used up. Only the lower half is kept.
void add_curvature(const Samples& samples, Matrix& jacobian, const Vector& weights, Matrix& lower);
/// In the order of blocks, whatever the threads; the curvature becomes whole.
Quadratic sum_of(const std::vector<Quadratic>& parts, Index size, bool curvature);

/// Numbers c on grids with these units, |c / unit| <= most; those of unit 0 stay free. What is not yet rounded moves to
/// where the quadratic around c is smallest, given what is. O(K^3).
Vector round_with_units(const Matrix& curvature, Vector c, const Vector& unit, int most);

}  // namespace mercer

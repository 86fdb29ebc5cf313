#include "learn/squash.hpp"

#include <cmath>
#include <numbers>

namespace mercer::learn {

template <class Real>
SquashedActions<Real>::SquashedActions(Index actions, Index columns) : log_prob(Vector<Real>::Zero(columns)) {
  for (Matrix<Real>* part : {&noise, &log_std, &std, &before, &action, &inside}) part->setZero(actions, columns);
}

template <class Real>
void squash(const Matrix<Real>& output, SquashedActions<Real>& s) {
  const Index actions = s.noise.rows();
  const auto low = static_cast<Real>(lowest_log_std);
  const auto high = static_cast<Real>(highest_log_std);
  s.before = output.topRows(actions);
  s.log_std = output.bottomRows(actions);
  s.inside = (s.log_std.array() >= low && s.log_std.array() <= high).template cast<Real>();
  s.log_std = s.log_std.cwiseMax(low).cwiseMin(high);
  s.std = s.log_std.array().exp();
  s.before.array() += s.std.array() * s.noise.array();
  s.action = s.before.array().tanh();

  // log(1 - tanh(u)^2) = 2 (ln 2 - u - softplus(-2u)), which stays exact where tanh rounds to one. With |u| in the
  // place of u, an even function's right, the exponential cannot overflow.
  const Real half_log_two_pi = static_cast<Real>(0.5 * std::log(2 * std::numbers::pi));
  const Real log_two = std::numbers::ln2_v<Real>;
  if (actions == 1) {
    s.log_prob.array() = (-s.noise.array().square() / 2 - s.log_std.array() - half_log_two_pi -
                          2 * (log_two - s.before.array().abs() - (-2 * s.before.array().abs()).exp().log1p()))
                             .row(0)
                             .transpose();
    return;
  }
  s.log_prob = (-s.noise.array().square() / 2 - s.log_std.array() - half_log_two_pi -
                2 * (log_two - s.before.array().abs() - (-2 * s.before.array().abs()).exp().log1p()))
                   .colwise()
                   .sum()
                   .transpose();
}

template <class Real>
void squash_backward(const SquashedActions<Real>& s, const Matrix<Real>& slope, Real alpha, Real scale, Columns columns,
                     Matrix<Real>& output_delta) {
  const Index actions = s.noise.rows();
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    for (Index i = 0; i < actions; ++i) {
      const Real a = s.action(i, c);
      const Real by_before = scale * (2 * alpha * a - slope(i, c) * (1 - a * a));
      output_delta(i, c) = by_before;
      output_delta(actions + i, c) = s.inside(i, c) * (by_before * s.std(i, c) * s.noise(i, c) - scale * alpha);
    }
  }
}

#define MERCER_INSTANTIATE(Real)                                     \
  template struct SquashedActions<Real>;                             \
  template void squash(const Matrix<Real>&, SquashedActions<Real>&); \
  template void squash_backward(const SquashedActions<Real>&, const Matrix<Real>&, Real, Real, Columns, Matrix<Real>&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);

}  // namespace mercer::learn

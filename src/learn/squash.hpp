#pragma once

#include "learn/network.hpp"

namespace mercer::learn {

constexpr double lowest_log_std = -20;
constexpr double highest_log_std = 2;

/// Actions a = tanh(u), u = mean + exp(log_std) noise, drawn for a batch from an actor's output: the means above, the
/// log standard deviations below, one column per state.
template <class Real>
struct SquashedActions {
  SquashedActions(Index actions, Index columns);

  Matrix<Real> noise;  ///< standard normal; the caller fills it
  Matrix<Real> log_std, std, before, action;
  Matrix<Real> inside;    ///< 1 where log_std was inside its bounds, 0 where it was clipped and has no derivative
  Vector<Real> log_prob;  ///< of each column: log N(u) - sum log(1 - a^2)
};

template <class Real>
void squash(const Matrix<Real>& output, SquashedActions<Real>& actions);

/// Derivative of (alpha log_prob - Q) * scale by the actor's output, where `slope` holds dQ/da.
template <class Real>
void squash_backward(const SquashedActions<Real>& actions, const Matrix<Real>& slope, Real alpha, Real scale,
                     Columns columns, Matrix<Real>& output_delta);

}  // namespace mercer::learn

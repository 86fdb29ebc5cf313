#pragma once

#include <algorithm>
#include <cmath>

#include "mercer/core/matrix_view.hpp"
#include "mercer/policy/contract.hpp"

namespace mercer {

/// The action that a contract makes of an unbounded number, before clipping.
inline double to_action(const Contract& contract, std::size_t dimension, double u) {
  const double bent = contract.squash == Squash::tanh ? std::tanh(u) : u;
  return contract.centre[dimension] + contract.scale[dimension] * bent;
}

/// NaN stays NaN, for whoever plays the action to report.
inline double clip_action(const Contract& contract, std::size_t dimension, double action) {
  if (contract.clip.empty()) return action;
  const auto [low, high] = contract.clip[dimension];
  return action < low ? low : action > high ? high : action;
}

/// Where the actions of a state begin, for `Policy::log_prob_many`: all states share them, or each has its own.
inline std::size_t first_action(MatrixView<const double> action, MatrixView<const double> out, std::size_t state) {
  return action.cols() == out.cols() ? 0 : state * out.cols();
}

/// The values of a state, for `Policy::cdf`, likewise.
inline std::span<const double> values_in(MatrixView<const double> values, std::size_t state) {
  return values.row(values.rows() == 1 ? 0 : state);
}

}  // namespace mercer

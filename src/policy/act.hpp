#pragma once

#include <algorithm>
#include <cmath>

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

}  // namespace mercer

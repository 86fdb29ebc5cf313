#pragma once

#include <optional>

#include "mercer/core/matrix_view.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// How far the actions of two policies are apart, averaged over states.
struct ActionDistance {
  std::optional<double> w1;  ///< Wasserstein distance in units of the action (of discrete ones: their numbers)
  std::optional<double> tv;  ///< total variation; nothing where it is not known, or 1 by nature
  bool sampled = false;      ///< w1 from drawn actions, and so a little too large
};

/// Mean actions are points: W1 is their Euclidean distance; total variation says something for discrete actions alone,
/// the share of states where they differ. Drawn actions: `policy_distance` where both have densities over one
/// dimension, else `sampled_wasserstein`. Costs about a thousand evaluations a state.
ActionDistance action_distance(const Policy& first, const Policy& second, MatrixView<const double> observations,
                               Act act);

}  // namespace mercer

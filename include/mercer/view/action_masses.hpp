#pragma once

#include <span>
#include <vector>

#include "mercer/core/matrix_view.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// Edges of `bins` equal parts of the first action's range, or around each of the discrete actions. Throws
/// `not_finite` for an action without bounds.
std::vector<double> action_edges(const Space& action, std::size_t bins);

/// How likely each part of the first action's range is: a row for each state (column of `observations`), parts between
/// `edges`. Exact for discrete actions and where the policy knows its distribution function; otherwise the shares of
/// `draws` drawn actions. With `Act::mean` all mass is where the mean action is.
std::vector<double> action_masses(const Policy& policy, MatrixView<const double> observations,
                                  std::span<const double> edges, Act act, std::size_t draws = 400);

/// Numbers of up to `most` states, in the order of a policy's mean action: how rows of a picture stand. Of states that
/// share a cell of 12 bins along each dimension one is taken, so that places count and not how often they are visited.
std::vector<std::size_t> states_by_action(const Policy& policy, MatrixView<const double> observations,
                                          std::size_t most);

}  // namespace mercer

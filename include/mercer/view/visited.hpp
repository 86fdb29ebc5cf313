#pragma once

#include <vector>

#include "mercer/core/matrix_view.hpp"
#include "mercer/core/progress.hpp"
#include "mercer/env/env.hpp"
#include "mercer/policy/policy.hpp"
#include "mercer/rollout/rollout.hpp"

namespace mercer {

/// Where a policy goes, and what of each axis is worth showing.
struct Visited {
  std::vector<Axis> axes;            ///< of the state; of the observation where there is no task
  bool discrete = false;             ///< the axis counts states
  std::vector<Range> window;         ///< shown of each axis, never empty
  std::vector<double> typical;       ///< of each axis: the median of visited states, or the middle of the window
  std::size_t count = 0;             ///< states kept below
  std::vector<double> states;        ///< one row for each axis, angles wrapped into the window
  std::vector<double> observations;  ///< of the same states, one row for each dimension

  MatrixView<const double> state_view() const { return {states.data(), axes.size(), count}; }
  MatrixView<const double> observation_view() const {
    return {observations.data(), count == 0 ? 0 : observations.size() / count, count};
  }
};

/// Plays `episodes` and keeps up to `most` states, evenly picked. An axis in rad without bounds is an angle: its window
/// is one turn. Other axes show their range where it is finite, else what was visited. Throws what `rollout` throws.
Visited visited_states(const Env& env, const Policy& policy, const RolloutOptions& options, std::size_t most,
                       const Progress& progress = {});

/// The axes of a contract's observation, nothing visited: for a policy whose task is not at hand.
Visited unvisited_axes(const Contract& contract);

}  // namespace mercer

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/matrix_view.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

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

/// Where a policy goes, and what of each axis is worth showing.
struct Visited {
  std::vector<Axis> axes;            ///< of the state; of the observation where there is no task
  bool discrete = false;             ///< the axis counts states
  std::vector<Range> window;         ///< shown of each axis, never empty
  std::vector<Range> near;           ///< the part of it where all but 2% of the visited states are; never empty
  std::vector<bool> angle;           ///< of each axis: it turns, and its window is one turn
  std::vector<double> typical;       ///< of each axis: the mean of visited states, or the middle of the window
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

/// A square of states: two axes run through their windows, the others stay.
struct SliceOptions {
  std::size_t x = 0, y = 1;     ///< axes; the same one twice where there is only one
  std::size_t n = 64;           ///< states along each, 2 to 256
  std::vector<double> fixed{};  ///< one number for each axis, those of x and y unused; empty: the typical state
  bool zoom = false;            ///< the axes run through `Visited::near` instead
};

/// What a slice shows of an axis.
const Range& shown_range(const Visited& visited, std::size_t axis, const SliceOptions& options);

/// Observations of the n * n states, one row for each dimension; state number row * n + column, x along columns, at the
/// middles of n equal parts of the shown ranges. `env` may be null: axes are the observation's then. Throws
/// `out_of_range`, `shape_mismatch`, `not_finite`.
std::vector<double> slice_observations(const Env* env, const Visited& visited, const SliceOptions& options);

/// The mean action of a policy in each of `count` states, of one action dimension. O(states) calls in tiles.
std::vector<double> slice_actions(const Policy& policy, MatrixView<const double> observations, std::size_t output);

/// How often states were visited, whatever their other axes were: n * n shares that sum to 1, smoothed over neighbours;
/// empty where nothing was visited.
std::vector<double> slice_visits(const Visited& visited, const SliceOptions& options);

/// The plane of observations in which an action changes most where the policy goes: the two leading eigenvectors of the
/// mean of g g^T, with g the slope of the action over a quarter of each observation's spread to either side.
/// An observation of the plane is mean + spread * (s * first + t * second), element by element.
struct Plane {
  std::vector<double> mean, spread;   ///< of each observation over visited states; a spread of 0: it never moves
  std::vector<double> first, second;  ///< orthogonal unit vectors
  Range s, t;                         ///< where all but 2% of the visited states are, never empty
  double share = 0;                   ///< of the mean squared slope that lies in the plane, 0 to 1
};

/// Nothing where fewer than two observations move, or the action does not change. O(d^3 + 500 d) calls of the policy.
std::optional<Plane> action_plane(const Policy& policy, const Visited& visited, std::size_t output);

/// "0.8 speed - 0.6 theta": the largest parts of a direction, up to four.
std::string direction_words(const std::vector<double>& direction, const std::vector<Axis>& observation);

/// Observations of n * n points of the plane, as `slice_observations`, and how often they were visited, as
/// `slice_visits`.
std::vector<double> plane_observations(const Plane& plane, std::size_t n);
std::vector<double> plane_visits(const Plane& plane, const Visited& visited, std::size_t n);

}  // namespace mercer

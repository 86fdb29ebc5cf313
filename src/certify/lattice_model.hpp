#pragma once

#include <optional>

#include "certify/exact.hpp"
#include "mercer/lattice.hpp"
#include "mercer/mdp.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

struct LatticeModelOptions {
  std::optional<double> gamma{};   ///< 0 up to but not 1; by default the rollouts' own
  double delta = 0.05;             ///< how often the radii may fail, all together; above 0, below 1
  std::size_t successors = 0;      ///< states that one step can lead to, where that is known; 0: all
  std::optional<Range> rewards{};  ///< the task's declared range; by default what was seen, which is not safe
};

/// A finite process estimated from rollouts: its states are the cells of a lattice, its actions those of a grid.
///
/// Steps from or to a cell that is not among the kept ones share one state `outside`; episodes that the task ended lead
/// to `terminal`, which is absorbing and pays nothing. An action that was never played in a state does there what the
/// others did on average, with radius 1; a state without any step stays where it is.
struct LatticeModel {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  SparseMdp mdp;
  std::size_t cells = 0;              ///< the first states, in the order of the cells
  std::size_t outside = none;         ///< the state of all other cells, if any was met
  std::size_t terminal = none;        ///< the end, if an episode was ended
  std::vector<double> visits;         ///< N(s, a); N(s, a, s') is that times the probability
  std::vector<double> radius;         ///< of P(. | s, a) in total variation: Weissman's
  std::vector<double> reward_radius;  ///< of r(s, a): Hoeffding's
  double start_radius = 0;            ///< of the start distribution, in total variation
  double delta_r = 0;                 ///< width of the range of rewards
  double delta = 0;
};

/// O(steps log steps + n m successors). Throws `shape_mismatch` when rollouts, cells and grid do not fit or the steps
/// were not kept, `too_large` for more than 10^8 pairs of state and action, `out_of_range` for options and rewards
/// outside a declared range.
LatticeModel estimate_model(const Rollouts& rollouts, const Cells& cells, const Grid& actions,
                            const LatticeModelOptions& options = {});

/// A table of the cells as a policy of the model: uniform outside and at the end. Throws `shape_mismatch`.
std::vector<double> model_policy(const LatticeModel& model, std::span<const double> table);

/// How far the return in the model may be from that in the world, with probability 1 - delta (simulation lemma):
/// g Delta_r / (1 - g)^2 sum d pi radius + sum d pi reward_radius / (1 - g) + Delta_r / (1 - g) start_radius, at most
/// Delta_r / (1 - g). The world must be Markov on the cells.
double model_error(const LatticeModel& model, std::span<const double> pi, const TabularSolution& solution);

/// Rows for two policies of the model: "model_exact" (level exact: the difference in the model) and "model_world"
/// (level rigorous: with both model errors added).
std::vector<Bound> model_bounds(const LatticeModel& model, std::span<const double> pi1, std::span<const double> pi2);

}  // namespace mercer

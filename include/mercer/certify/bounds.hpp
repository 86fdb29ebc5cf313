#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mercer/certify/comparison.hpp"
#include "mercer/certify/kernel.hpp"

namespace mercer {

/// One inequality, evaluated.
struct Bound {
  std::string id;        ///< "B2'", "C1", "paper_trunc_inf"; "B2/d1A2" is one of the forms whose least is "B2"
  std::string level;     ///< "paper" (printed, not a guarantee), "rigorous" or "exact"
  std::string quantity;  ///< what it bounds: see `BoundedQuantity`
  double value = 0;      ///< no meaning where it is not applicable
  bool applicable = true;
  bool vacuous = false;            ///< no better than what is known without looking at the policies
  std::string needs;               ///< assumptions and inputs in plain words, or why it is not applicable
  std::optional<double> measured;  ///< the true value of the bounded quantity, where it is known
};

/// The names of bounded quantities.
struct BoundedQuantity {
  static constexpr const char* difference = "return";              ///< |eta1 - eta2|, discounted
  static constexpr const char* horizon = "return_T";               ///< the same over T steps
  static constexpr const char* stationary_l1 = "stationary_l1";    ///< L1 distance of stationary distributions
  static constexpr const char* stationary_l2 = "stationary_l2";    ///< Euclidean
  static constexpr const char* stationary_max = "stationary_max";  ///< largest entry
  static constexpr const char* occupancy_l1 = "occupancy_l1";      ///< L1 distance of discounted occupancies
  static constexpr const char* sd_Q = "sd_Q";                      ///< difference of the spreads of Q
  static constexpr const char* variance_Q = "variance_Q";          ///< variance of Q of policy 2
  static constexpr const char* mean_action = "mean_action";        ///< largest difference of mean actions
  static constexpr const char* h_norm = "h_norm";                  ///< largest squared H-norm of a row of delta
  static constexpr const char* tail = "tail";                      ///< the part of it after the first K functions
  static constexpr const char* reward = "reward";                  ///< of one round of a bandit
  static constexpr const char* volume = "volume";                  ///< of the discretisation error
  static constexpr const char* pruning = "pruning";                ///< |eta - eta_pruned|
  static constexpr const char* condition = "condition";            ///< 1 when it holds, else 0
};

/// What the bounds need beside the comparison. Everything but the kernel may be left out: rows that need it are then
/// not applicable, and say so.
struct BoundInputs {
  ActionKernel kernel = {};  ///< over the actions; of m functions
  std::size_t K = 0;         ///< functions of the kernel that are kept, 0 to m; 0: all
  std::span<const double> kept_difference =
      {};                              ///< the part of delta in the kept span, where it is not the first K, n x m
  std::span<const double> raw = {};    ///< the truncated table before it was made a policy again, n x m
  std::span<const double> atoms = {};  ///< values of the actions, rising
  std::size_t T = 0;                   ///< horizon of the finite-horizon rows; 0: none
  double horizon_gamma = 1;            ///< their discount
  double confidence_delta = 0.05;      ///< what may fail of rows that hold with high probability, 0 to 1

  std::span<const double> state_samples = {},
                          action_samples = {};  ///< of one dimension each, for the discretisation volume
  std::size_t state_bins = 0, action_bins = 0;

  std::size_t trajectories = 0;         ///< rollouts of the pruning theorem
  std::size_t full_states = 0;          ///< states before pruning; 0: n
  std::size_t held_out = 0;             ///< fresh trajectories, of T steps, and
  std::size_t hits = 0;                 ///< how many of them touched a pruned state
  std::span<const double> counts = {};  ///< N(s, a), n x m, where policy 2 is N(s, a) / N(s)
};

/// Bounds that hold: B0 to B9 on the return, C1 to C4 on distributions, D1 by Wasserstein distance, P1 and P2 for
/// pruning, V1 on the spread of Q, and `_T` forms for T steps. O(n m^2), and O(T transitions) for the horizon.
std::vector<Bound> rigorous_bounds(const TabularComparison& comparison, const BoundInputs& inputs);

/// The `_T` rows alone, for processes without discount.
std::vector<Bound> horizon_bounds(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                                  std::size_t T, double gamma = 1);

/// Every printed statement, as printed. None is a guarantee; `measured` shows where one fails.
std::vector<Bound> paper_bounds(const TabularComparison& comparison, const BoundInputs& inputs);

/// The least of the applicable bounds on a quantity, or null. The first of equals.
const Bound* best_bound(std::span<const Bound> bounds, std::string_view quantity = BoundedQuantity::difference);
/// By id, or null.
const Bound* find_bound(std::span<const Bound> bounds, std::string_view id);

/// What is known of a quantity without looking at the policies: the bound at or above which a bound is vacuous.
double trivial_bound(const TabularComparison& comparison, std::string_view quantity, const BoundInputs& inputs);

}  // namespace mercer

#pragma once

#include <limits>
#include <span>
#include <string>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

struct CouplingOptions {
  double confidence = 0.95;
  double gamma = 1;      ///< 1: the undiscounted return
  bool endless = false;  ///< with gamma < 1: of episodes that never end, by what can come after the last step
  Act act = Act::sample;
};

/// Bounds on |eta(teacher) - eta(student)| from episodes of the teacher alone.
struct CouplingBound {
  bool applicable = false;
  std::string why_not;   ///< if not, a sentence
  double mean = 0;       ///< estimate of the bound below
  double value = 0;      ///< coupling (B5): holds with the confidence
  double modelfree = 0;  ///< the looser bound by E[TV] along the teacher's visits (B4): holds with the confidence
  double tv = 0;         ///< mean total variation between the two over the visited states
  double separated = 0;  ///< share of episodes in which coupled policies part
};

/// Both policies are played with coupled actions and shared noise: they are the same until tau, when their actions
/// first differ. Over an episode of the teacher they are still together after k steps with probability W_k = product
/// of w_u, w_u = min(1, pi2(a_u|s_u) / pi1(a_u|s_u)). What can be lost from step k on is
/// f(k) = min(width of the rewards (and 0) times sum of gamma^j for k <= j < T, width of the declared returns), so
///   X = sum over j < T of (f(j) - f(j+1)) (1 - S_j),   S_j = W_{j+1}, for discrete actions W_j (1 - TV(s_j)),
/// lies in [0, f(0)] and |eta1 - eta2| <= E[X], which betting bounds from above.
///
/// Holds for all policies whose actions have densities, or whose actions are discrete; `rollouts` are independent
/// episodes of the teacher in `env`, with steps, cut off after `horizon`. Actions at the bounds of the action space
/// count as apart: clipping may have put them there. O(steps) evaluations of both policies.
CouplingBound coupling_bound(const Env& env, const Policy& teacher, const Policy& student, const Rollouts& rollouts,
                             std::uint32_t horizon, const CouplingOptions& options);

/// f(0), ..., f(T): what can be lost from each step on.
std::vector<double> losable(const Env& env, std::uint32_t horizon, double gamma, bool endless = false);

}  // namespace mercer

#pragma once

#include <string>

#include "certify/lattice_rows.hpp"
#include "mercer/certify.hpp"

namespace mercer {

/// The discretisation theorem and the three-term corollary in the task itself, for observations and actions of several
/// dimensions. Actions have the norm ||a|| = sum over dimensions q of |a_q|, in their own units. With Q_t the teacher's
/// critic at step t and L_t(s) the least L such that |Q_t(s, a) - Q_t(s, b)| <= L ||a - b|| on the box of actions,
///   |eta(teacher) - eta(other)| <= sum_t g^t E_other[ L_t(s_t) W1(teacher(. | s_t), other(. | s_t)) ]
/// over the visits of the other policy: performance difference, then Kantorovich and Rubinstein. With `other` the
/// teacher's own table (the teacher itself in unvisited cells) that is the discretisation theorem; with the embedding,
/// and W1(teacher, embedding) <= W1(teacher, table) + W1(table, pruned table) + W1(pruned table, embedding), it is the
/// corollary, whose terms are shares of the sum.
///
/// W1 between the teacher and a row of bins is the sum over dimensions, each from the teacher's distribution function
/// on 16 points of every bin, from above; between rows by `ActionMetric`; between mean actions it is their distance.
struct LipschitzTerm {
  double value = 0;                                        ///< the bound
  double measured = 0;                                     ///< |difference of the mean returns| on paired episodes
  double moved = 0;                                        ///< mean W1 over the visits
  double discretisation = 0, pruning = 0, projection = 0;  ///< shares of `value`, which they sum to
};
struct LipschitzBounds {
  bool applicable = false;
  std::string why_not;  ///< if not, a sentence
  LipschitzTerm discretisation, embedding;
  double slope_mean = 0, slope_most = 0;  ///< of L over the states where it was estimated; both the constant if given
  std::size_t states = 0;                 ///< where it was estimated; 0: given
};

/// `options.lipschitz` gives L, or says how it is estimated: at random visits (s, t) of the policy, Q_t(s, .) is the
/// mean return of the teacher after the action, over `repeats` continuations to the end of the episode with the same
/// noise for all actions; the actions are `points` along each dimension of the box through the teacher's mean action,
/// and L is the steepest between neighbours. That is an estimate: slopes between the points and elsewhere are not seen,
/// noise is. With L given the bounds hold with `options.confidence` each (betting on sum_t g^t L W1 of independent
/// episodes).
///
/// For box actions, tasks without carried rows and, unless mean actions are played, teachers with a distribution
/// function whose dimensions are independent. Plays `playing.episodes` episodes of each policy and
/// states points dimensions repeats continuations.
LipschitzBounds lipschitz_bounds(const Env& env, const Policy& teacher, const LatticePolicy& student,
                                 const RolloutOptions& playing, const CertifyOptions& options,
                                 const Progress& progress);

}  // namespace mercer

#pragma once

#include "mercer/embedding.hpp"
#include "mercer/rollout.hpp"

namespace mercer {

/// Whether some cell of the grid has no row, so that a rule for unvisited cells may act.
bool has_unvisited(const LatticePolicy& policy);

/// A lattice policy that plays the teacher in unvisited cells. With the same draws it acts as the lattice policy does
/// until an episode first touches such a cell. Both policies must outlive it.
class TeacherInUnvisited : public Policy {
 public:
  TeacherInUnvisited(const LatticePolicy& lattice, const Policy& teacher)
      : Policy(lattice.name(), lattice.contract()), lattice_(lattice), teacher_(teacher) {}

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;

 private:
  const LatticePolicy& lattice_;
  const Policy& teacher_;
};

/// What the rule for unvisited cells cost over some episodes.
struct UnvisitedCost {
  std::size_t episodes = 0;
  std::size_t touched = 0;  ///< episodes of the lattice policy with an action in an unvisited cell
  double difference = 0;    ///< |mean difference of the returns to `TeacherInUnvisited`|, on the same episodes
};

/// Plays the lattice policy and, if an episode touches an unvisited cell, the one with the teacher there on the same
/// episodes. The expected difference is at most the width of the range of returns times the probability of touching,
/// under the lattice policy and not under the teacher, who may never go there. `gamma` below 1: of discounted returns.
UnvisitedCost unvisited_cost(const Env& env, const Policy& teacher, const LatticePolicy& student,
                             RolloutOptions playing, double gamma, const Progress& progress);

}  // namespace mercer

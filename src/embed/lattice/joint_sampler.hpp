#pragma once

#include <vector>

#include "mercer/embedding.hpp"

namespace mercer {

/// Draws states together with actions: a visited cell by its visits, an action cell by the cell's row. That is the
/// joint distribution d(s) pi(a | s) which the lattice holds, and so logs of the teacher without teacher or task.
class JointSampler {
 public:
  /// `visits` weigh the cells, one for each, not negative and not all zero; empty: the cells' own counts. (An embedding
  /// does not store counts: there every cell weighs the same.) The policy must outlive the sampler. Throws
  /// `shape_mismatch` or `bad_distribution`.
  explicit JointSampler(const LatticePolicy& policy, std::span<const double> visits = {});

  struct Pair {
    std::size_t cell, action_cell;
  };
  /// O(log cells) and the draw of the policy.
  Pair draw(Random& random) const;

  /// One pair for each column, from the keys of that column alone: the middles of both cells, or uniform points inside
  /// them where the policy has noise. (Discrete actions are what they are.) Allocates nothing per call.
  void sample(const Draws& draws, MatrixView<double> state, MatrixView<double> action) const;

 private:
  const LatticePolicy* policy_;
  bool inside_;
  std::vector<double> below_;  // visits summed up
};

}  // namespace mercer

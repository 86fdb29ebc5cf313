#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// Teacher and embedding with the policies between them, n x m each.
struct PolicySteps {
  std::span<const double> teacher, discretised, pruned, embedded;
};

/// The three-term corollary in a finite process, |eta(teacher) - eta(embedded)| <= discretisation + pruning +
/// projection, each term a theorem about its own step, with the step's true difference as `measured`:
///   three_terms/discretisation   D1, slope of Q times how far actions move, with the distance of `ActionMetric`
///   three_terms/pruning          B5, the first step at which coupled actions differ: it lies in a pruned state
///   three_terms/projection       the least of B7, B7' and B7j, coefficients in the kernel of `inputs`
/// and "three_terms", their sum. Where a term is not applicable the sum is not. `inputs` are those of the whole
/// comparison; `joint_TV` is about the last step. Solves all four policies twice.
std::vector<Bound> three_term_bounds(const SparseMdp& mdp, const PolicySteps& steps, const BoundInputs& inputs);

}  // namespace mercer

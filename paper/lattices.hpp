#pragma once

#include <memory>
#include <string>
#include <vector>

#include "mercer/embedding.hpp"
#include "stages.hpp"

namespace mercer::paper {

/// A teacher and its lattice, both played.
struct Discretised {
  Head head;
  TrainedPolicy trained;
  LatticeOptions options;
  Lattice lattice;
  std::vector<double> teacher_returns, lattice_returns;

  std::string env() const { return env_of(head.teacher); }
};

/// The published lattice of a task: 35 quantile bins of each observation, 15 or 10 of the action.
LatticeOptions published_lattice(Teacher teacher);
Discretised discretise(const Bench& bench, const Head& head, const LatticeOptions& options);

/// One truncated table, and what it does.
struct Truncated {
  std::string basis;
  std::size_t k = 0;
  std::size_t parameters = 0;  ///< as the publication counts
  double w1 = 0, tv = 0;       ///< from the lattice, mean over visits
  std::vector<double> returns;
  std::shared_ptr<const LatticePolicy> policy;
};

/// Which K to try of a basis: "fourier", "db4", "svd" or "mle"; "fourier-sorted" is "fourier" on rows in the order of
/// their mean actions.
std::vector<std::size_t> k_grid(const std::string& basis, const Lattice& lattice, bool quick);
/// Half of all coefficients that are not zero for every policy, the published "half of K".
std::size_t half_k(const std::string& basis, const Lattice& lattice);

/// Truncates and plays, on all threads; rows in the published order, that of their cells, unless the basis says sorted.
std::vector<Truncated> truncate_all(const Bench& bench, const Discretised& made,
                                    const std::vector<std::pair<std::string, std::size_t>>& choices);
/// Every K of every basis.
std::vector<Truncated> truncate_curves(const Bench& bench, const Discretised& made,
                                       const std::vector<std::string>& bases);

/// Mean and standard deviation.
struct Summary {
  double mean = 0, sd = 0;
};
Summary summary(const std::vector<double>& returns);

/// Parameters of the actor (or of one critic), which the publication marks.
std::size_t network_parameters(const Bench& bench, const Head& head);

}  // namespace mercer::paper

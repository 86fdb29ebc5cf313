#include <cmath>

#include "paper/curves.hpp"
#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules pendulum_rules(const Tables& tables) {
  constexpr double same = 0.05;  // of |return|
  const std::vector<std::string> bases{"fourier", "db4", "svd"};
  const Rows all(tables.at("returns")), early = all.where("steps", 2000.0), late = all.where("steps", 5000.0);
  const double network = all.where("basis", "teacher").mean("parameters");
  Rules rules;
  for (const std::string& basis : bases) {
    rules.claims.push_back(below(
        basis + " needs a tenth of the parameters",
        "5k steps: |difference to the lattice| as a share of its return, at the largest K with at most a tenth of "
        "the network's parameters < 5%",
        gaps_within(late, basis, network / 10, "lattice"), same));
  }
  std::vector<Rule> pairs;
  for (std::size_t i = 0; i < bases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      pairs.push_back(alike(bases[j] + " and " + bases[i], "", mean_gaps(late, bases[j], "lattice"),
                            mean_gaps(late, bases[i], "lattice"), 2));
    }
  }
  rules.claims.push_back(
      every("at 5k all are comparable", "mean gap over K of each pair of bases is within a factor of 2", pairs));
  rules.claims.push_back(
      every("at 2k DFT converges best", "mean gap over K: DFT < DB4 and SVD",
            {less("than DB4", "", mean_gaps(early, "fourier", "lattice"), mean_gaps(early, "db4", "lattice")),
             less("than SVD", "", mean_gaps(early, "fourier", "lattice"), mean_gaps(early, "svd", "lattice"))}));
  for (const std::string& basis : bases) {
    rules.claims.push_back(falls(basis + " converges at 5k", "|difference to the lattice| over all K",
                                 gap_curves(late, basis, "lattice")));
  }
  Seeds lost = per_seed(late.where("basis", "teacher"), "mean"), tenth = lost, half;
  const Seeds lattice = per_seed(late.where("basis", "lattice"), "mean");
  for (std::size_t i = 0; i < lost.size() && i < lattice.size(); ++i) {
    tenth[i] = 0.1 * std::abs(lost[i]);
    lost[i] -= lattice[i];
  }
  for (const double gap : mean_gaps(late, "fourier", "lattice")) half.push_back(gap / 2);
  rules.reasons = {less("the reference itself is lost",
                        "10% of the teacher's |return| < what the lattice loses, 5k steps", tenth, lost),
                   less("neighbours in the list are not alike",
                        "5k steps, mean gap over K: DFT of rows sorted by mean action < half of DFT as published",
                        mean_gaps(late, "fourier-sorted", "lattice"), half)};
  return rules;
}

}  // namespace mercer::paper

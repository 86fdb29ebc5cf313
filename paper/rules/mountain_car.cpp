#include "paper/curves.hpp"
#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules mountain_car_rules(const Tables& tables) {
  constexpr double same = 1;  // return; the goal is worth 100
  const Rows all(tables.at("returns"));
  Rules rules;
  for (const std::string basis : {"fourier", "db4", "svd"}) {
    rules.claims.push_back(less(basis + " reaches the baseline",
                                "|return difference| to the teacher with most parameters < that of the baseline with "
                                "most draws + 1",
                                last_gaps(all, basis, "teacher"), last_gaps(all, "mle", "teacher"), same));
  }
  for (const std::string basis : {"fourier", "db4", "svd"}) {
    rules.claims.push_back(falls(basis + " improves steadily", "|return difference| to the teacher over all K",
                                 gap_curves(all, basis, "teacher")));
  }
  rules.claims.push_back(less("DB4 is slightly better than DFT", "|return difference|, mean over all K, DB4 < DFT",
                              mean_gaps(all, "db4", "teacher"), mean_gaps(all, "fourier", "teacher")));
  std::vector<Rule> parts;
  for (const std::string basis : {"fourier", "db4", "svd"}) {
    parts.push_back(less(basis, "", last_gaps(all, basis, "lattice"), last_gaps(all, "lattice", "teacher")));
  }
  rules.reasons = {every("the lattice is the floor",
                         "|difference to the lattice| with most parameters < |lattice - teacher|", parts)};
  return rules;
}

}  // namespace mercer::paper

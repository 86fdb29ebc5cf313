#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules polar_rules(const Tables& tables) {
  constexpr double degenerate = 0.25;  // of the entropy of a uniform row
  const Rows all(tables.at("entropy"));
  Rules rules;
  for (const std::string head : {"gaussian", "boltzmann"}) {
    const Rows early = all.where("head", head).where("steps", 2000.0),
               late = all.where("head", head).where("steps", 5000.0);
    rules.claims.push_back(less(head + " sharpens", "entropy of rows after 5k < after 2k steps",
                                per_seed(late, "entropy"), per_seed(early, "entropy")));
    rules.claims.push_back(below(head + " is nearly degenerate",
                                 "entropy of rows after 5k steps < a quarter of that of a uniform row",
                                 per_seed(late, "entropy"), degenerate));
  }
  const Rows own = all.where("head", "gaussian");
  rules.reasons = {
      less("even bins tell the same", "Gaussian on even bins, exact masses: entropy after 2k < after 5k steps",
           per_seed(own.where("steps", 2000.0), "even_entropy"), per_seed(own.where("steps", 5000.0), "even_entropy"))};
  return rules;
}

}  // namespace mercer::paper

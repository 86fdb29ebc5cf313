#include <cmath>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

// The largest of true distance / bound over all cases; rounding makes 0 / 0.
double worst_ratio(const Tables& tables, const char* distance) {
  double worst = 0;
  bool any = false;
  for (const char* name : {"components", "states"}) {
    const Rows rows(tables.at(name));
    const Seeds truth = rows.numbers(distance), limit = rows.numbers("printed");
    for (std::size_t i = 0; i < truth.size(); ++i) {
      any = true;
      if (truth[i] > 1e-12) worst = std::max(worst, truth[i] / limit[i]);
    }
  }
  return any ? worst : std::nan("");
}

Curves curves(const Rows& rows, const char* x) {
  Curves all;
  for (const double seed : rows.distinct("seed")) {
    all.x.push_back(rows.where("seed", seed).numbers(x));
    all.y.push_back(rows.where("seed", seed).numbers("printed"));
  }
  return all;
}

}  // namespace

Rules chain_rules(const Tables& tables) {
  const Rows varying = Rows(tables.at("components")).where("policy", "varying"), states(tables.at("states"));
  return {{certain("bounds the Euclidean distance", "largest of (true distance / printed bound), 2-norm <= 1",
                   worst_ratio(tables, "l2"), 1),
           certain("bounds the 1-norm here", "largest of (true distance / printed bound), 1-norm <= 1",
                   worst_ratio(tables, "l1"), 1),
           falls("falls with components", "printed bound over all K", curves(varying, "k")),
           rises("grows with states", "printed bound at half of the coefficients over 4 to 80 states",
                 curves(states, "states")),
           ratio_below("a rigorous one is no looser", "C1 / printed bound < 1, both on the 1-norm",
                       per_seed(states, "c1"), per_seed(states, "printed"))},
          {}};
}

}  // namespace mercer::paper

#include <cmath>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

Curves errors(const Rows& rows, const char* by) {
  Curves curves;
  for (const double seed : rows.distinct("seed")) {
    const Rows own = rows.where("seed", seed);
    curves.x.push_back(own.numbers(by));
    curves.y.push_back(own.numbers("error"));
  }
  return curves;
}

}  // namespace

Rules discretisation_rules(const Tables& tables) {
  const Rows bins(tables.at("discretisation")), episodes(tables.at("pruning"));
  Rules rules;
  for (const std::string task : {"mountain-car-gaussian", "pendulum-boltzmann"}) {
    rules.claims.push_back(falls(task + ": more bins help", "|return difference| to the teacher over all bins",
                                 errors(bins.where("task", task), "bins")));
    rules.claims.push_back(falls(task + ": more trajectories help",
                                 "|return difference| between pruned and full lattice over all trajectories",
                                 errors(episodes.where("task", task), "episodes")));
  }
  const Rows pendulum = bins.where("task", "pendulum-boltzmann");
  const Rows finest = pendulum.where("bins", pendulum.most("bins"));
  Seeds tenth = per_seed(finest, "teacher");
  for (double& value : tenth) value = 0.1 * std::abs(value);
  rules.reasons = {less("bins in the wrong place",
                        "pendulum: 10% of |return| < discretisation error that is left with most bins", tenth,
                        per_seed(finest, "error"))};
  return rules;
}

}  // namespace mercer::paper

#include <fmt/format.h>

#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules pruned_rules(const Tables& tables) {
  const Rows all(tables.at("pruned"));
  Rules rules;
  for (const double steps : {2000.0, 3000.0, 4000.0, 5000.0}) {
    const Rows own = all.where("steps", steps);
    rules.claims.push_back(within(fmt::format("{:.0f}k as printed", steps / 1000),
                                  "|pruned percent - printed| < 3 points", per_seed(own, "pruned"), own.mean("printed"),
                                  3));
  }
  Curves later;
  for (const double seed : all.distinct("seed")) {
    const Rows own = all.where("seed", seed);
    later.x.push_back(own.numbers("steps"));
    later.y.push_back(own.numbers("pruned"));
  }
  rules.claims.push_back(rises("more is pruned later", "pruned percent over 2k, 3k, 4k and 5k steps", later));
  Seeds most = per_seed(all, "pruned");
  for (double& value : most) value *= 0.8;
  rules.reasons = {less("most of it is geometry", "80% of what is pruned < cells that no state lies in", most,
                        per_seed(all, "unreachable"))};
  return rules;
}

}  // namespace mercer::paper

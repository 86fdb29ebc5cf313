#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules mixtures_rules(const Tables& tables) {
  const Rows all(tables.at("fits"));
  Rules rules;
  std::vector<Rule> gaps;
  for (const std::string task : {"pendulum", "mountain-car"}) {
    Curves spread, gap;
    Seeds collapsed;
    const Rows tasks = all.where("task", task);
    for (const double seed : tasks.distinct("seed")) {
      const Rows own = tasks.where("seed", seed);
      Seeds ks, spreads, gaps_of;
      for (const double k : own.distinct("k")) {
        const Rows one = own.where("k", k);
        ks.push_back(k), spreads.push_back(one.sd("test"));
        gaps_of.push_back(one.mean("train") - one.mean("test"));
      }
      spread.x.push_back(ks), spread.y.push_back(spreads);
      gap.x.push_back(ks), gap.y.push_back(gaps_of);
      collapsed.push_back(-own.where("k", own.most("k")).mean("collapsed"));
    }
    rules.claims.push_back(rises(task + ": starts end further apart",
                                 "sd over starts of the held-out log-likelihood, over all K", spread));
    rules.claims.push_back(
        below(task + ": components collapse",
              "minus the percentage of components with a variance at the floor, at the most components "
              "< -10",
              collapsed, -10));
    gaps.push_back(rises(task, "", gap));
  }
  rules.reasons = {every("they fit the sample", "log-likelihood of fitted less of fresh data rises over all K", gaps)};
  return rules;
}

}  // namespace mercer::paper

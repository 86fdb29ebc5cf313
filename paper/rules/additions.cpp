#include <algorithm>

#include <fmt/format.h>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

Rules one_task(const Rows& own, const std::string& task) {
  const auto loss = [&](const char* method) { return per_seed(own.where("method", method), "loss_percent"); };
  const Rows terms = own.where("method", "continuous");
  const Seeds published = loss("published"), all_three = loss("all-three"), best = loss("best"),
              continuous = per_seed(terms.where("k", terms.most("k")), "loss_percent");
  Seeds quarter, enough;
  for (const double value : published) quarter.push_back(std::max(value / 4, 2.0));
  for (const double value : best) enough.push_back(std::max(value, 2.0));
  Rules rules;
  if (task != "mountain-car") {
    for (const char* change : {"tempered", "nearest", "mass"}) {
      rules.claims.push_back(less(fmt::format("{}: {} helps", task, change),
                                  "loss with this change alone < published lattice", loss(change), published));
    }
  }
  rules.claims.push_back(less(task + ": together they remove most of it",
                              "loss with all three changes < the larger of a quarter of the published loss and 2%",
                              all_three, quarter));
  rules.claims.push_back(
      less(task + ": continuous with 16 terms",
           "loss of the continuous embedding with most terms < the larger of 2% and the best lattice's", continuous,
           enough));
  if (task == "mountain-car") return rules;
  rules.reasons = {less("polished on return",
                        "pendulum, terms improved on the return: loss < the larger of 2% and the best lattice's",
                        loss("polished"), enough),
                   less("the mean action is another policy", "2% < loss of the teacher that plays its mean action",
                        Seeds(published.size(), 2.0), loss("mean-action"))};
  return rules;
}

}  // namespace

Rules additions_rules(const Tables& tables) {
  const Rows all(tables.at("loss"));
  Rules rules = one_task(all.where("task", "pendulum"), "pendulum");
  const Rules car = one_task(all.where("task", "mountain-car"), "mountain-car");
  rules.claims.insert(rules.claims.end(), car.claims.begin(), car.claims.end());
  return rules;
}

}  // namespace mercer::paper

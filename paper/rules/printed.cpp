#include "paper/rules/rules.hpp"

namespace mercer::paper {

// Not published: what each defect of the pseudocode is expected to do, by its formula.
Rules printed_rules(const Tables& tables) {
  constexpr double costs = 0.02;  // of total variation, beyond the right reading
  const Rows all(tables.at("defects"));
  const auto tv = [&](const std::string& task, const char* variant, double share) {
    return per_seed(all.where("task", task).where("variant", variant).where("share", share), "tv");
  };
  Rules rules;
  for (const std::string task : {"pendulum", "mountain-car"}) {
    for (const char* variant : {"real-part", "by-sign", "flat-inverse", "printed"}) {
      rules.claims.push_back(less(task + ": " + variant + " costs",
                                  "total variation with half of the coefficients: right + 0.02 < with the defect",
                                  tv(task, "right", 0.5), tv(task, variant, 0.5), -costs));
    }
    Seeds more = tv(task, "one-more", 0.5);
    const Seeds right = tv(task, "right", 0.5);
    for (std::size_t i = 0; i < more.size() && i < right.size(); ++i) more[i] -= right[i];
    rules.claims.push_back(within(task + ": one more costs nothing",
                                  "total variation with half of the coefficients and one more, less that with half",
                                  more, 0, costs));
    rules.claims.push_back(less(task + ": all coefficients do not bring it back",
                                "total variation with all coefficients: right + 0.02 < printed", tv(task, "right", 1),
                                tv(task, "printed", 1), -costs));
  }
  return rules;
}

}  // namespace mercer::paper

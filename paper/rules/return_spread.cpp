#include "paper/rules/rules.hpp"

namespace mercer::paper {

Rules return_spread_rules(const Tables& tables) {
  const Rows all(tables.at("spread"));
  const auto sd = [&](const std::string& policy, const char* method) {
    return per_seed(all.where("policy", policy).where("method", method), "sd");
  };
  const std::vector<std::string> policies{"pendulum-2k", "pendulum-3k", "pendulum-4k", "pendulum-5k", "mountain-car"};
  Rules rules;
  for (const std::string& policy : policies) {
    std::vector<Rule> parts;
    for (const char* basis : {"fourier", "db4", "svd"}) {
      parts.push_back(ratio_below(basis, "", sd(policy, basis), sd(policy, "teacher")));
    }
    rules.claims.push_back(
        every(policy + " falls", "sd of returns at half of K / sd of the teacher < 1, in every basis", parts));
  }
  std::vector<Rule> grows, keeps;
  for (std::size_t i = 0; i < 4; ++i) {
    grows.push_back(ratio_below(policies[i], "", sd(policies[i], "teacher"), sd(policies[i], "lattice")));
    keeps.push_back(ratio_below(policies[i], "", sd(policies[i], "better-lattice"), sd(policies[i], "teacher"), 1.25));
  }
  rules.reasons = {
      every("the lattice already grows it", "pendulum: sd of the teacher / sd of its lattice < 1", grows),
      every("a better lattice keeps it", "pendulum: sd of the better lattice / sd of the teacher < 1.25", keeps)};
  return rules;
}

}  // namespace mercer::paper

#include "item.hpp"

namespace mercer::paper {

std::vector<Item> all_items() {
  return {turntable(),     bandit(),  mountain_car(), pendulum_gaussian(), pendulum_boltzmann(),
          return_spread(), pruned(),  stationary(),   discretisation(),    chain(),
          binning(),       polar(),   complexity(),   additions(),         real_size(),
          rates(),         kernels(), printed(),      mixtures(),          variance_lemma()};
}

std::vector<Judged> judge(const Item& item, const Tables& tables) {
  if (item.envs.empty()) return {{"", Verdict(item.rules(tables), item.tell(tables))}};
  std::vector<Judged> all;
  for (const std::string& env : item.envs) {
    const Tables own = select_env(tables, env);
    all.push_back({env, Verdict(item.rules(own), item.tell(own))});
  }
  return all;
}

}  // namespace mercer::paper

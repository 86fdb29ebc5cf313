#include <cmath>

#include <fmt/format.h>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

// No K is chosen after the fact: the claim is about all of them up to ten.
Rule every_k(const std::string& name, const Rows& all, const std::string& order, const char* column) {
  const Seeds whole = per_seed(all.where("order", "whole"), column);
  std::vector<Rule> parts;
  for (double k = 2; k <= 10; ++k) {
    parts.push_back(
        less(fmt::format("K = {}", k), "", whole, per_seed(all.where("order", order).where("k", k), column)));
  }
  return every(name, fmt::format("{} reward, all coefficients < K {}, for every K from 2 to 10", column, order), parts);
}

}  // namespace

Rules bandit_rules(const Tables& tables) {
  const Rows all(tables.at("reward"));
  Seeds ratio;  // of the printed signal-to-noise ratio to the measured one, log
  const Rows snr(tables.at("snr"));
  for (const double seed : snr.distinct("seed")) {
    Seeds logs;
    const Rows own = snr.where("seed", seed);
    const Seeds printed = own.numbers("printed"), measured = own.numbers("measured");
    for (std::size_t i = 0; i < printed.size(); ++i) logs.push_back(std::abs(std::log(printed[i] / measured[i])));
    ratio.push_back(mean_of(logs));
  }
  const Seeds whole = per_seed(all.where("order", "whole"), "greedy");
  return {
      {every_k("mode, largest coefficients", all, "largest", "greedy"),
       every_k("mode, lowest frequencies", all, "lowest", "greedy"),
       every_k("sampled, largest coefficients", all, "largest", "sampled"),
       every_k("sampled, lowest frequencies", all, "lowest", "sampled"),
       below("the printed SNR is one",
             "|log(N / (2 lambda) / (variance of the signal / variance of the noise))| < ln 2", ratio, std::log(2))},
      {below("the signal is not low", "share of the signal's energy in its 10 lowest coefficients < 90%",
             per_seed(Rows(tables.at("energy")), "share"), 0.9),
       less("enough low frequencies help", "reward of the mode, all coefficients < 19 lowest", whole,
            per_seed(all.where("order", "lowest").where("k", 19.0), "greedy"))}};
}

}  // namespace mercer::paper

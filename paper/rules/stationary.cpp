#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

Curves over_parameters(const Rows& rows) {
  Curves curves;
  for (const double seed : rows.distinct("seed")) {
    const Rows own = rows.where("seed", seed);
    curves.x.push_back(own.numbers("parameters"));
    curves.y.push_back(own.numbers("w1_lattice"));
  }
  return curves;
}

}  // namespace

Rules stationary_rules(const Tables& tables) {
  constexpr double sampling = -0.5;  // what drawing from the policy does, by which the publication measures others
  const Rows all = Rows(tables.at("w1")).where("steps", 5000.0);
  Rules rules;
  for (const std::string head : {"gaussian", "boltzmann"}) {
    const Rows own = all.where("head", head);
    const Seeds floor = per_seed(own.where("basis", "lattice"), "w1_lattice");
    Seeds twice = floor;
    for (double& value : twice) value *= 2;
    for (const std::string basis : {"fourier", "db4", "svd"}) {
      const Rows one = own.where("basis", basis);
      rules.claims.push_back(ratio_below(head + ", " + basis + " arrives",
                                         "5k steps: W1 with most parameters / that of two samples of the lattice < 2",
                                         per_seed(one.where("k_rank", one.most("k_rank")), "w1_lattice"), floor, 2));
      rules.claims.push_back(steeper(head + ", " + basis + " is fast",
                                     "5k steps: W1 falls faster than parameters^-1/2, down to twice two samples",
                                     over_parameters(one), sampling, twice));
    }
  }
  const Rows lattice = all.where("basis", "lattice");
  rules.reasons = {ratio_below("the lattice itself is elsewhere",
                               "W1(lattice, lattice) / W1(teacher, lattice) < 1/2, 5k steps",
                               per_seed(lattice, "w1_lattice"), per_seed(lattice, "w1_teacher"), 0.5)};
  return rules;
}

}  // namespace mercer::paper

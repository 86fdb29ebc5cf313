#include <cmath>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

Rows of(const Tables& tables, const char* method, double low, double high) {
  return Rows(tables.at("w1")).where("method", method).between("k", low, high);
}

// How far a seed is from the mean of all seeds, mean over K.
Seeds deviations(const Rows& rows) {
  Seeds all;
  for (const double seed : rows.distinct("seed")) {
    Seeds away;
    for (const double k : rows.distinct("k")) {
      const Rows own = rows.where("k", k);
      away.push_back(std::abs(own.where("seed", seed).mean("w1") - own.mean("w1")));
    }
    all.push_back(mean_of(away));
  }
  return all;
}

}  // namespace

Rules turntable_rules(const Tables& tables) {
  const Rows few = of(tables, "gmm", 10, 60), many = of(tables, "gmm", 61, 100), dft = of(tables, "dft", 10, 100),
             fixed = of(tables, "fixed-gmm", 10, 100), exact = of(tables, "gmm-grid", 61, 100);
  const Rows wider(tables.at("widths"));
  const auto share = [&](double width) {
    const Rows own = wider.where("width", width);
    return own.where("k", 10.0).mean("w1") / own.where("k", 1.0).mean("w1");
  };
  return {
      {less("EM worsens past 60", "mean W1 of the mixture fitted to samples, 10 <= K <= 60 < K > 60",
            per_seed(few, "w1"), per_seed(many, "w1")),
       less("EM is less stable past 60", "distance of a seed's W1 from the mean of all seeds, 10 <= K <= 60 < K > 60",
            deviations(few), deviations(many)),
       certain("DFT is stable from 10", "largest W1 of DFT for K >= 10 <= 5% of that of one coefficient",
               dft.most("w1"), 0.05 * of(tables, "dft", 1, 1).mean("w1")),
       less("fixed basis is worse", "mean W1 for K >= 10: DFT < fixed-basis mixture", per_seed(dft, "w1"),
            per_seed(fixed, "w1"))},
      {less("samples set the floor", "mean W1 past 60, EM on the exact table < EM on samples", per_seed(exact, "w1"),
            per_seed(many, "w1")),
       certain("width sets what DFT needs",
               "W1 at K = 10 as a share of that at K = 1: bumps 0.4 rad wide <= half of bumps 0.2 rad wide", share(0.4),
               share(0.2) / 2)}};
}

}  // namespace mercer::paper

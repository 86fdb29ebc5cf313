#include <fmt/format.h>

#include "curves.hpp"
#include "item.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

const std::vector<std::string> bases{"fourier", "db4", "svd", "mle"};

Tables measure(const Bench& bench) {
  const Head head{Teacher::mountain_car, 0, false};
  const Discretised made = discretise(bench, head, published_lattice(head.teacher));
  Tables tables{{"returns", {curve_columns()}}};
  add_curves(tables["returns"], bench, 25'000, made, truncate_curves(bench, made, bases));
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("returns"));
  const auto first = [&](const char* basis) { return mean_of(gaps(all, basis, 0, "teacher")); };
  const auto last = [&](const char* basis) { return mean_of(last_gaps(all, basis, "teacher")); };
  const auto left = [&](const char* basis) { return mean_of(last_gaps(all, basis, "lattice")); };
  const auto average = [&](const char* basis) { return mean_of(mean_gaps(all, basis, "teacher")); };
  return {
      fmt::format("Teacher {:.1f}, lattice {:.1f} (mean over seeds). |Difference to the teacher| with fewest and most "
                  "parameters: DFT {:.3g} and {:.3g}, DB4 {:.3g} and {:.3g}, SVD {:.3g} and {:.3g}, sampling {:.3g} "
                  "and {:.3g} (pooled standard error {:.2g}). Mean over K: DB4 {:.3g}, DFT {:.3g}.",
                  all.where("basis", "teacher").mean("mean"), all.where("basis", "lattice").mean("mean"),
                  first("fourier"), last("fourier"), first("db4"), last("db4"), first("svd"), last("svd"), first("mle"),
                  last("mle"), pooled_error(all, "mle", all.where("basis", "mle").most("k_rank"), "teacher"),
                  average("db4"), average("fourier")),
      {fmt::format("The lattice itself is {:.2g} from the teacher, which no truncation can undo; with most "
                   "parameters DFT, DB4 and SVD are {:.2g}, {:.2g} and {:.2g} from the lattice, and the baseline "
                   "{:.2g}.",
                   mean_of(gaps(all, "lattice", 0, "teacher")), left("fourier"), left("db4"), left("svd"),
                   left("mle"))}};
}

}  // namespace

Item mountain_car() {
  return {
      3,
      "mountain-car",
      "Continuous mountain car: return difference against parameters",
      "DFT, SVD and DB4 reach the same returns as the sampling baseline; the difference falls steadily with the "
      "parameters kept, and DB4 does slightly better than DFT.",
      {"with independent exploration noise SAC learns to stand still: the library's correlated noise, discount 0.9999, "
       "two layers of 64 instead of 256, an update each step after 5,000; 25,000 steps as published",
       "the lattice is made from 200 rollouts, returns are means of 100 episodes",
       "parameters as published: K for DFT and DB4, nK + K^2 + mK for SVD, K numbers a row for the baseline",
       "rows in the order of their cells"},
      {Teacher::mountain_car},
      true,
      1,
      3,
      measure,
      mountain_car_rules,
      tell};
}

}  // namespace mercer::paper

#include <fmt/format.h>

#include "curves.hpp"
#include "item.hpp"

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

double at_last(const Rows& rows, const std::string& basis) {
  return mean_gap(rows, basis, static_cast<double>(k_count(rows, basis)) - 1, "teacher");
}

Verdict judge(const Tables& tables) {
  const Rows all(tables.at("returns"));
  Verdict verdict;
  const double last = static_cast<double>(k_count(all, "mle")) - 1;
  const double baseline = at_last(all, "mle"), error = pooled_error(all, "mle", last, "teacher");
  for (const std::string basis : {"fourier", "db4", "svd"}) {
    verdict.rules.push_back(
        at_most(basis + " reaches the baseline",
                "|return difference| to the teacher with most parameters <= that of the baseline with most draws + 2 "
                "pooled standard errors",
                at_last(all, basis), baseline + 2 * error));
  }
  for (const std::string basis : {"fourier", "db4", "svd"}) {
    verdict.rules.push_back(at_most(basis + " improves with parameters",
                                    "|return difference| with most parameters <= with fewest", at_last(all, basis),
                                    mean_gap(all, basis, 0, "teacher")));
  }
  const double wavelet = overall_gap(all, "db4", "teacher"), fourier = overall_gap(all, "fourier", "teacher");
  verdict.rules.push_back(
      at_most("DB4 is slightly better than DFT", "|return difference|, mean over all K, DB4 <= DFT", wavelet, fourier));
  const double teacher = all.where("basis", "teacher").mean("mean"),
               lattice = all.where("basis", "lattice").mean("mean");
  verdict.saw = fmt::format(
      "Teacher {:.1f}, lattice {:.1f} (mean over seeds). |Difference to the teacher| with fewest and most parameters: "
      "DFT {:.3g} and {:.3g}, DB4 {:.3g} and {:.3g}, SVD {:.3g} and {:.3g}, sampling {:.3g} and {:.3g} (pooled "
      "standard error {:.2g}). Mean over K: DB4 {:.3g}, DFT {:.3g}.",
      teacher, lattice, mean_gap(all, "fourier", 0, "teacher"), at_last(all, "fourier"),
      mean_gap(all, "db4", 0, "teacher"), at_last(all, "db4"), mean_gap(all, "svd", 0, "teacher"), at_last(all, "svd"),
      mean_gap(all, "mle", 0, "teacher"), baseline, error, wavelet, fourier);
  const double floor = mean_gap(all, "lattice", 0, "teacher");
  verdict.because = {
      at_most("the lattice is the floor",
              "smallest over bases of |difference to the lattice| with most parameters <= |lattice - teacher|",
              std::min(mean_gap(all, "fourier", static_cast<double>(k_count(all, "fourier")) - 1, "lattice"),
                       mean_gap(all, "db4", static_cast<double>(k_count(all, "db4")) - 1, "lattice")),
              floor)};
  const auto left = [&](const std::string& basis) {
    return mean_gap(all, basis, static_cast<double>(k_count(all, basis)) - 1, "lattice");
  };
  verdict.reason = fmt::format(
      "The lattice itself is {:.2g} from the teacher, which no truncation can undo; with most parameters DFT, DB4 and "
      "SVD are {:.2g}, {:.2g} and {:.2g} from the lattice, and the baseline {:.2g}.",
      floor, left("fourier"), left("db4"), left("svd"), left("mle"));
  return verdict;
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
      judge};
}

}  // namespace mercer::paper

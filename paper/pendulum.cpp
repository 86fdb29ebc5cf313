#include "pendulum.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace mercer::paper {
namespace {

const std::vector<std::string> bases{"fourier", "db4", "svd"};
// Beside them the experiment that tells why the first one is slow.
const std::vector<std::string> tried{"fourier", "db4", "svd", "fourier-sorted"};

// The least |difference to the lattice| among tables that have at most `parameters`, in pooled standard errors.
double least_gap(const Rows& rows, const std::string& basis, double parameters) {
  double least = std::numeric_limits<double>::infinity();
  for (const double rank : rows.where("basis", basis).distinct("k_rank")) {
    if (parameters_at(rows, basis, rank) > parameters) continue;
    least = std::min(least, mean_gap(rows, basis, rank, "lattice") / pooled_error(rows, basis, rank, "lattice"));
  }
  return least;
}

}  // namespace

Tables measure_pendulum(const Bench& bench, bool boltzmann) {
  Tables tables{{"returns", {curve_columns()}}};
  for (const std::uint64_t steps : {2000, 5000}) {
    const Discretised made =
        discretise(bench, {Teacher::pendulum, steps, boltzmann}, published_lattice(Teacher::pendulum));
    add_curves(tables["returns"], bench, static_cast<double>(steps), made, truncate_curves(bench, made, tried));
  }
  return tables;
}

Verdict judge_pendulum(const Tables& tables) {
  const Rows all(tables.at("returns")), early = all.where("steps", 2000.0), late = all.where("steps", 5000.0);
  const double network = all.where("basis", "teacher").mean("parameters");
  Verdict verdict;
  for (const std::string& basis : bases) {
    verdict.rules.push_back(at_most(
        basis + " needs a tenth of the parameters",
        "5k steps: |difference to the lattice| of some K with at most a tenth of the network's parameters <= 2 pooled "
        "standard errors",
        least_gap(late, basis, network / 10), 2));
  }
  std::vector<double> gaps;
  for (const std::string& basis : bases) gaps.push_back(overall_gap(late, basis, "lattice"));
  const auto [best, worst] = std::ranges::minmax(gaps);
  verdict.rules.push_back(at_most("at 5k all are comparable",
                                  "mean gap over K of the worst basis <= twice that of the best", worst, 2 * best));
  verdict.rules.push_back(
      at_most("at 2k DFT converges best", "mean gap over K: DFT <= the better of DB4 and SVD",
              overall_gap(early, "fourier", "lattice"),
              std::min(overall_gap(early, "db4", "lattice"), overall_gap(early, "svd", "lattice"))));
  const auto mean = [](const Rows& rows, const char* which) { return rows.where("basis", which).mean("mean"); };
  verdict.saw = fmt::format(
      "2k steps: teacher {:.0f}, lattice {:.0f}; mean gap to the lattice over K: DFT {:.0f}, DB4 {:.0f}, SVD {:.0f}. "
      "5k steps: teacher {:.0f}, lattice {:.0f}; DFT {:.0f}, DB4 {:.0f}, SVD {:.0f}. With at most a tenth of the "
      "network's {:.0f} parameters the best K comes within {:.1f} (DFT), {:.1f} (DB4), {:.1f} (SVD) standard errors "
      "of the lattice.",
      mean(early, "teacher"), mean(early, "lattice"), overall_gap(early, "fourier", "lattice"),
      overall_gap(early, "db4", "lattice"), overall_gap(early, "svd", "lattice"), mean(late, "teacher"),
      mean(late, "lattice"), gaps[0], gaps[1], gaps[2], network, least_gap(late, "fourier", network / 10),
      least_gap(late, "db4", network / 10), least_gap(late, "svd", network / 10));
  const double lost = mean(late, "teacher") - mean(late, "lattice");
  const double listed = overall_gap(late, "fourier", "lattice"),
               ordered = overall_gap(late, "fourier-sorted", "lattice");
  verdict.because = {
      below("the reference itself is lost", "10% of the teacher's |return| < what the lattice loses, 5k steps",
            0.1 * std::abs(mean(late, "teacher")), lost),
      below("neighbours in the list are not alike",
            "5k steps, mean gap over K: DFT of rows sorted by mean action < half of DFT as published", ordered,
            listed / 2)};
  verdict.reason = fmt::format(
      "The reference is the lattice, which at 5k steps loses {:.0f} of return before anything is truncated ({:.0f}% "
      "of the teacher's); item 14 shows which of its choices cost that. A transform along the list of rows needs "
      "neighbours that are alike: sorted by mean action the same numbers of DFT coefficients come within {:.0f} of "
      "the lattice instead of {:.0f}.",
      lost, 100 * lost / std::abs(mean(late, "teacher")), ordered, listed);
  return verdict;
}

}  // namespace mercer::paper

#include "pendulum.hpp"

#include <cmath>

#include <fmt/format.h>

namespace mercer::paper {
namespace {

// Beside the published ones the experiment that tells why the first one is slow.
const std::vector<std::string> tried{"fourier", "db4", "svd", "fourier-sorted"};

}  // namespace

Tables measure_pendulum(const Bench& bench, bool boltzmann) {
  Tables tables{{"returns", {curve_columns()}}};
  for (const Teacher teacher : pendulums) {
    for (const std::uint64_t steps : {2000, 5000}) {
      const Discretised made = discretise(bench, {teacher, steps, boltzmann}, published_lattice(teacher));
      add_curves(tables["returns"], bench, static_cast<double>(steps), made, truncate_curves(bench, made, tried));
    }
  }
  return tables;
}

Told tell_pendulum(const Tables& tables) {
  const Rows all(tables.at("returns")), early = all.where("steps", 2000.0), late = all.where("steps", 5000.0);
  const double network = all.where("basis", "teacher").mean("parameters");
  const auto mean = [](const Rows& rows, const char* which) { return rows.where("basis", which).mean("mean"); };
  const auto gap = [](const Rows& rows, const char* basis) { return mean_of(mean_gaps(rows, basis, "lattice")); };
  const auto share = [&](const char* basis) {
    return 100 * mean_of(gaps_within(late, basis, network / 10, "lattice"));
  };
  Told told;
  told.saw = fmt::format(
      "2k steps: teacher {:.0f}, lattice {:.0f}; mean gap to the lattice over K: DFT {:.0f}, DB4 {:.0f}, SVD {:.0f}. "
      "5k steps: teacher {:.0f}, lattice {:.0f}; DFT {:.0f}, DB4 {:.0f}, SVD {:.0f}. With at most a tenth of the "
      "network's {:.0f} parameters the return is {:.0f}% (DFT), {:.0f}% (DB4), {:.0f}% (SVD) from the lattice's.",
      mean(early, "teacher"), mean(early, "lattice"), gap(early, "fourier"), gap(early, "db4"), gap(early, "svd"),
      mean(late, "teacher"), mean(late, "lattice"), gap(late, "fourier"), gap(late, "db4"), gap(late, "svd"), network,
      share("fourier"), share("db4"), share("svd"));
  const double lost = mean(late, "teacher") - mean(late, "lattice");
  told.why = {
      fmt::format("The reference is the lattice, which at 5k steps loses {:.0f} of return before anything is truncated "
                  "({:.0f}% of the teacher's); item 14 shows which of its choices cost that.",
                  lost, 100 * lost / std::abs(mean(late, "teacher"))),
      fmt::format("A transform along the list of rows needs neighbours that are alike: sorted by mean action the same "
                  "numbers of DFT coefficients come within {:.0f} of the lattice instead of {:.0f}.",
                  gap(late, "fourier-sorted"), gap(late, "fourier"))};
  return told;
}

}  // namespace mercer::paper

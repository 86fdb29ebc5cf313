#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t rings = 750;  // as many as the published figures show

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["policy"] = {{"seed", "head", "steps", "ring", "action", "probability"}};
  Frame& spread = tables["entropy"] = {{"seed", "head", "steps", "states", "entropy", "return"}};
  for (const bool boltzmann : {false, true}) {
    for (const std::uint64_t steps : {2000, 5000}) {
      const Head head{Teacher::pendulum, steps, boltzmann};
      const Player player = make_player(bench, head);
      const Lattice lattice = make_lattice(*player.policy, visits(bench, head), published_lattice(head.teacher));
      const std::size_t rows = lattice.table.rows, shown = std::min(rows, rings);
      for (std::size_t ring = 0; ring < shown; ++ring) {
        const auto row = lattice.table.row(ring * rows / shown);
        for (std::size_t j = 0; j < row.size(); ++j) {
          frame.add({double(bench.seed), name_of(head), double(steps), double(ring + 1),
                     lattice.actions.axes[0].centre(j), row[j]});
        }
      }
      // Over the visits, in units of that of a uniform row.
      const std::vector<double> visits_of = lattice.visits();
      double entropy = 0, all = 0;
      for (std::size_t r = 0; r < rows; ++r) {
        double own = 0;
        for (const double p : lattice.table.row(r)) own -= p > 0 ? p * std::log(p) : 0;
        entropy += visits_of[r] * own / std::log(static_cast<double>(lattice.table.cols));
        all += visits_of[r];
      }
      spread.add({double(bench.seed), name_of(head), double(steps), double(rows), entropy / all,
                  summary(teacher_trial(bench, head)).mean});
    }
  }
  return tables;
}

Verdict judge(const Tables& tables) {
  const Rows all(tables.at("entropy"));
  Verdict verdict;
  verdict.saw = "Mean entropy of a row over visits, 1 for a uniform one (return): ";
  for (const std::string head : {"gaussian", "boltzmann"}) {
    const Rows early = all.where("head", head).where("steps", 2000.0),
               late = all.where("head", head).where("steps", 5000.0);
    verdict.rules.push_back(below(head + " sharpens", "entropy of rows after 5k < after 2k steps", late.mean("entropy"),
                                  early.mean("entropy")));
    verdict.saw += fmt::format("{} {:.2f} ({:.0f}) after 2k, {:.2f} ({:.0f}) after 5k steps; ", head,
                               early.mean("entropy"), early.mean("return"), late.mean("entropy"), late.mean("return"));
  }
  verdict.saw.replace(verdict.saw.size() - 2, 2, ".");
  verdict.because = {
      below("Boltzmann sharper than Gaussian",
            "entropy after 5k steps, Boltzmann-Q at temperature 1 < Gaussian, whose temperature is tuned",
            all.where("head", "boltzmann").where("steps", 5000.0).mean("entropy"),
            all.where("head", "gaussian").where("steps", 5000.0).mean("entropy"))};
  verdict.reason =
      "Quantile action bins crowd where actions were played, so the entropy of a row also measures how its bins lie; "
      "the "
      "differences between heads come from temperature 1 in units of Q against the tuned temperature of the actor.";
  return verdict;
}

}  // namespace

Item polar() {
  return {12,
          "polar",
          "Policies over states in polar coordinates, 2k and 5k steps",
          "Early policies spread over actions; after 5,000 steps they are nearly degenerate.",
          {"one seed; rings: visited cells in their order, at most 750, evenly picked",
           "angle: torque from -2 to 2 spread over the circle"},
          {Teacher::pendulum},
          false,
          6,
          1,
          measure,
          judge};
}

}  // namespace mercer::paper

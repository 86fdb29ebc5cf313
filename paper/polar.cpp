#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t rings = 750;  // as many as the published figures show

// Entropy of a row, 1 for a uniform one, mean over the visits.
double mean_entropy(const Lattice& lattice) {
  const std::vector<double> weights = lattice.visits();
  double sum = 0, all = 0;
  for (std::size_t r = 0; r < lattice.table.rows; ++r) {
    double own = 0;
    for (const double p : lattice.table.row(r)) own -= p > 0 ? p * std::log(p) : 0;
    sum += weights[r] * own / std::log(static_cast<double>(lattice.table.cols));
    all += weights[r];
  }
  return sum / all;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["policy"] = {{"seed", "head", "steps", "ring", "action", "probability"}};
  Frame& spread = tables["entropy"] = {{"seed", "head", "steps", "states", "entropy", "even_entropy", "return"}};
  for (const bool boltzmann : {false, true}) {
    for (const std::uint64_t steps : {2000, 5000}) {
      const Head head{Teacher::pendulum, steps, boltzmann};
      const TrainedPolicy trained = load_policy(bench, head);
      const Rollouts met = visits(bench, head);
      const Lattice lattice = make_lattice(*trained.policy, met, published_lattice(head.teacher));
      const std::size_t rows = lattice.table.rows, shown = std::min(rows, rings);
      for (std::size_t ring = 0; ring < shown; ++ring) {
        const auto row = lattice.table.row(ring * rows / shown);
        for (std::size_t j = 0; j < row.size(); ++j) {
          frame.add({double(bench.seed), name_of(head), double(steps), double(ring + 1),
                     lattice.actions.axes[0].centre(j), row[j]});
        }
      }
      // The same states with even action bins and exact masses: what quantile bins add is gone.
      LatticeOptions even = published_lattice(head.teacher);
      even.action_edges = {EdgeKind::uniform};
      even.reach_bounds = true;
      even.table = TableRule::mass;
      spread.add({double(bench.seed), name_of(head), double(steps), double(rows), mean_entropy(lattice),
                  mean_entropy(make_lattice(*trained.policy, met, even)), summary(teacher_trial(bench, head)).mean});
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
  const Rows own = all.where("head", "gaussian");
  const double early = own.where("steps", 2000.0).mean("even_entropy"),
               late = own.where("steps", 5000.0).mean("even_entropy");
  verdict.because = {below("even bins tell the same",
                           "Gaussian on even bins, exact masses: entropy after 2k < after 5k steps", early, late)};
  verdict.reason = fmt::format(
      "On even action bins with exact masses the Gaussian's entropy is {:.2f} after 2k and {:.2f} after 5k steps: {}.",
      early, late,
      early < late ? "it is the later one that spreads more, whatever the bins"
                   : "the policy does sharpen, and quantile bins hide it");
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

#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "rules/rules.hpp"

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

// The visited cell of each ring: where it is, for the snapshots beside the figure, and what the policy does there.
void add_rings(Tables& tables, const Bench& bench, const Head& head, const Lattice& lattice) {
  const std::size_t rows = lattice.table.rows, shown = std::min(rows, rings);
  for (std::size_t ring = 0; ring < shown; ++ring) {
    const std::size_t cell = ring * rows / shown;
    const auto row = lattice.table.row(cell);
    for (std::size_t j = 0; j < row.size(); ++j) {
      tables["policy"].add({env_of(head.teacher), double(bench.seed), name_of(head), double(head.steps),
                            double(ring + 1), lattice.actions.axes[0].centre(j), row[j]});
    }
    tables["states"].add({env_of(head.teacher), double(bench.seed), name_of(head), double(head.steps), double(ring + 1),
                          lattice.cells->centre(cell, 0), lattice.cells->centre(cell, 1),
                          lattice.cells->centre(cell, 2), static_cast<double>(lattice.cells->counts()[cell])});
  }
}

Tables measure(const Bench& bench) {
  Tables tables{{"policy", {{"env", "seed", "head", "steps", "ring", "action", "probability"}}},
                {"states", {{"env", "seed", "head", "steps", "ring", "cos", "sin", "speed", "visits"}}}};
  Frame& spread = tables["entropy"] = {{"env", "seed", "head", "steps", "states", "entropy", "even_entropy", "return"}};
  for (const Teacher teacher : pendulums) {
    for (const bool boltzmann : {false, true}) {
      for (const std::uint64_t steps : {2000, 5000}) {
        const Head head{teacher, steps, boltzmann};
        const TrainedPolicy trained = load_policy(bench, head);
        const Rollouts met = visits(bench, head);
        const Lattice lattice = make_lattice(*trained.policy, met, published_lattice(head.teacher));
        if (bench.first && teacher == pendulums[0]) add_rings(tables, bench, head, lattice);
        // The same states with even action bins and exact masses: what quantile bins add is gone.
        LatticeOptions even = published_lattice(head.teacher);
        even.action_edges = {EdgeKind::uniform};
        even.reach_bounds = true;
        even.table = TableRule::mass;
        spread.add({env_of(teacher), double(bench.seed), name_of(head), double(steps), double(lattice.table.rows),
                    mean_entropy(lattice), mean_entropy(make_lattice(*trained.policy, met, even)),
                    summary(teacher_trial(bench, head)).mean});
      }
    }
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("entropy"));
  Told told{"Mean entropy of a row over visits, 1 for a uniform one (return): "};
  for (const std::string head : {"gaussian", "boltzmann"}) {
    const Rows early = all.where("head", head).where("steps", 2000.0),
               late = all.where("head", head).where("steps", 5000.0);
    told.saw += fmt::format("{} {:.2f} ({:.0f}) after 2k, {:.2f} ({:.0f}) after 5k steps; ", head,
                            early.mean("entropy"), early.mean("return"), late.mean("entropy"), late.mean("return"));
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  const Rows own = all.where("head", "gaussian");
  told.why = {
      fmt::format("On even action bins with exact masses the Gaussian's entropy is {:.2f} after 2k and {:.2f} after "
                  "5k steps: it is the later one that spreads more, whatever the bins.",
                  own.where("steps", 2000.0).mean("even_entropy"), own.where("steps", 5000.0).mean("even_entropy"))};
  return told;
}

}  // namespace

Item polar() {
  return {12,
          "polar",
          "Policies over states in polar coordinates, 2k and 5k steps",
          "Early policies spread over actions; after 5,000 steps they are nearly degenerate.",
          {"figure of the first seed; rings: visited cells in their order, at most 750, evenly picked",
           "angle: torque from -2 to 2 spread over the circle"},
          {Teacher::pendulum_v0, Teacher::pendulum},
          true,
          6,
          1,
          measure,
          polar_rules,
          tell,
          pendulum_envs()};
}

}  // namespace mercer::paper

#include <fmt/format.h>

#include "curves.hpp"
#include "item.hpp"
#include "mercer/parallel.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

// All visited observations as columns, each in units of half its range: cos, sin, speed / 8.
std::vector<double> scaled_states(const Env& env, const Rollouts& met) {
  const std::vector<Axis>& axes = env.task().observation.axes;
  std::vector<double> rows(met.observations.size());
  for (std::size_t d = 0; d < axes.size(); ++d) {
    for (std::size_t i = 0; i < met.steps(); ++i) {
      rows[d * met.steps() + i] = met.observations[i * axes.size() + d] / (axes[d].range.width() / 2);
    }
  }
  return rows;
}

std::vector<double> states_of(const Bench& bench, const Env& env, const Policy& policy, std::uint64_t purpose) {
  RolloutOptions options;
  options.episodes = trial_episodes;
  options.seed = 1000 * bench.seed + purpose;
  Progress quiet;
  quiet.stop = bench.progress.stop;
  return scaled_states(env, rollout(env, policy, options, quiet));
}

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  return sliced_wasserstein({{x.data(), 3, x.size() / 3}}, {{y.data(), 3, y.size() / 3}}, 32);
}

struct Distances {
  double lattice = 0, teacher = 0;
};

void add_head(Frame& frame, const Bench& bench, const Head& head) {
  const Discretised made = discretise(bench, head, published_lattice(head.teacher));
  const Env& env = *made.trained.env;
  const auto lattice =
      lattice_policy("lattice", *made.trained.policy, made.lattice, made.lattice.table, made.options.playing);
  const std::vector<double> truth = states_of(bench, env, lattice, 3), again = states_of(bench, env, lattice, 4);
  const std::vector<double> taught = scaled_states(env, visits(bench, head));
  const double table = static_cast<double>(made.lattice.table.pi.size());
  const auto add = [&](const std::string& basis, double k, double rank, double parameters, const Distances& away) {
    frame.add({made.env(), double(bench.seed), name_of(head), double(head.steps), basis, k, rank, parameters,
               away.lattice, away.teacher});
  };
  // Two samples of one distribution: what sampling alone makes.
  add("lattice", table, 0, table, {distance(truth, again), distance(taught, again)});
  const std::vector<Truncated> all = truncate_curves(bench, made, {"fourier", "db4", "svd"});
  std::vector<Distances> away(all.size());
  for_each_block(all.size(), 1, [&](Block block) {
    bench.progress.check();
    const std::vector<double> met = states_of(bench, env, *all[block.begin].policy, 4);
    away[block.begin] = {distance(truth, met), distance(taught, met)};
  });
  std::map<std::string, double> rank;
  for (std::size_t i = 0; i < all.size(); ++i) {
    add(all[i].basis, static_cast<double>(all[i].k), rank[all[i].basis]++, static_cast<double>(all[i].parameters),
        away[i]);
  }
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["w1"] = {
      {"env", "seed", "head", "steps", "basis", "k", "k_rank", "parameters", "w1_lattice", "w1_teacher"}};
  for (const Teacher teacher : pendulums) {
    for (const bool boltzmann : {false, true}) {
      for (const std::uint64_t steps : {2000, 5000}) add_head(frame, bench, {teacher, steps, boltzmann});
    }
  }
  return tables;
}

double at(const Rows& rows, const std::string& basis, bool last, const char* column) {
  const Rows own = rows.where("basis", basis);
  return own.where("k_rank", last ? own.most("k_rank") : own.least("k_rank")).mean(column);
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("w1")), late = all.where("steps", 5000.0);
  Told told{
      "W1 between visited states of lattice and reconstruction, fewest and most parameters (two samples of the "
      "lattice): "};
  for (const std::string head : {"gaussian", "boltzmann"}) {
    const Rows own = late.where("head", head);
    told.saw += fmt::format("{} 5k ({:.3f}) ", head, own.where("basis", "lattice").mean("w1_lattice"));
    for (const std::string basis : {"fourier", "db4", "svd"}) {
      told.saw += fmt::format("{} {:.3f} and {:.3f}, ", basis, at(own, basis, false, "w1_lattice"),
                              at(own, basis, true, "w1_lattice"));
    }
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  told.why = {fmt::format(
      "Against the teacher's own states the lattice is at {:.3f} before truncation, with {:.3f} between two of its "
      "samples: a reconstruction can only converge to the lattice.",
      late.where("basis", "lattice").mean("w1_teacher"), late.where("basis", "lattice").mean("w1_lattice"))};
  return told;
}

}  // namespace

Item stationary() {
  return {8,
          "stationary",
          "W1 between stationary distributions against K, pendulum",
          "The states that reconstructed policies visit converge fast to those of the true one, for Gaussian and "
          "Boltzmann-Q policies and all bases.",
          {"true: the discretised policy; the distance to the teacher's states is given, too",
           "distribution: visited observations of 100 episodes, cos, sin and speed / 8",
           "W1: mean over 32 directions of the one-dimensional distance (a lower bound of the exact one)"},
          {Teacher::pendulum_v0, Teacher::pendulum},
          true,
          28,
          2,
          measure,
          stationary_rules,
          tell,
          pendulum_envs()};
}

}  // namespace mercer::paper

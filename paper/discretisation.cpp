#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

const std::vector<Head> heads{{Teacher::mountain_car, 0, false}, {Teacher::pendulum_v0, 5000, true}};

std::string task_name(const Head& head) {
  return head.teacher == Teacher::mountain_car ? "mountain-car-gaussian" : "pendulum-boltzmann";
}

std::vector<std::size_t> bin_grid(bool quick) {
  return quick ? std::vector<std::size_t>{5, 10, 20, 35} : std::vector<std::size_t>{5, 10, 15, 20, 25, 30, 35};
}

// The lattice with only those cells kept that the first episodes met; edges stay.
Lattice pruned_to(const Lattice& full, const Rollouts& met, std::size_t episodes) {
  const std::size_t dimensions = full.cells->grid().dimensions();
  const auto steps = static_cast<std::size_t>(met.offsets[episodes]);
  std::vector<double> points(dimensions * steps);
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t i = 0; i < steps; ++i) points[d * steps + i] = met.observations[i * dimensions + d];
  }
  const auto kept =
      std::make_shared<Cells>(full.cells->grid(), MatrixView<const double>(points.data(), dimensions, steps));
  Lattice pruned{kept, full.actions, {}, {kept->size(), full.table.cols, {}, 0}, full.collapsed_bins};
  std::vector<double> centre(dimensions);
  for (std::size_t c = 0; c < kept->size(); ++c) {
    for (std::size_t d = 0; d < dimensions; ++d) centre[d] = kept->centre(c, d);
    const auto row = full.table.row(full.cells->find(centre.data()));
    pruned.table.pi.insert(pruned.table.pi.end(), row.begin(), row.end());
  }
  return pruned;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& by_bins = tables["discretisation"] = {{"seed", "task", "bins", "teacher", "lattice", "error"}};
  Frame& by_episodes = tables["pruning"] = {{"seed", "task", "episodes", "full", "pruned", "error", "unvisited"}};
  for (const Head& head : heads) {
    const TrainedPolicy trained = load_policy(bench, head);
    const Rollouts met = visits(bench, head);
    const double teacher = summary(teacher_trial(bench, head)).mean;
    LatticeOptions options = published_lattice(head.teacher);
    options.full = true;
    Lattice full;
    double whole = 0;
    for (const std::size_t bins : bin_grid(bench.quick)) {
      bench.progress.check();
      options.state_bins = {bins};
      full = make_lattice(*trained.policy, met, options);
      const auto policy = lattice_policy("full", *trained.policy, full, full.table, options.playing);
      whole = summary(trial(bench, *trained.env, policy)).mean;
      by_bins.add({double(bench.seed), task_name(head), double(bins), teacher, whole, std::abs(teacher - whole)});
    }
    for (const std::size_t episodes : {5, 10, 20, 50, 100, 200}) {
      const Lattice pruned = pruned_to(full, met, episodes);
      const auto policy = lattice_policy("pruned", *trained.policy, pruned, pruned.table, options.playing);
      const double earned = summary(trial(bench, *trained.env, policy)).mean;
      by_episodes.add({double(bench.seed), task_name(head), double(episodes), whole, earned, std::abs(whole - earned),
                       pruned.pruned_percent()});
    }
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows bins(tables.at("discretisation")), episodes(tables.at("pruning"));
  Told told;
  double left = 0;
  for (const Head& head : heads) {
    const std::string task = task_name(head);
    const Rows one = bins.where("task", task), two = episodes.where("task", task);
    const auto error = [](const Rows& rows, const char* by, double value) {
      return rows.where(by, value).mean("error");
    };
    told.saw += fmt::format(
        "{}: discretisation error {:.3g} with {:.0f} bins, {:.3g} with {:.0f}; pruning error {:.3g} after {:.0f} "
        "trajectories, {:.3g} after {:.0f}. ",
        task, error(one, "bins", one.least("bins")), one.least("bins"), error(one, "bins", one.most("bins")),
        one.most("bins"), error(two, "episodes", two.least("episodes")), two.least("episodes"),
        error(two, "episodes", two.most("episodes")), two.most("episodes"));
    left = error(one, "bins", one.most("bins")) / std::abs(one.mean("teacher"));
  }
  told.saw.pop_back();
  told.why = {
      fmt::format("With the most bins {:.0f}% of the pendulum's return is still lost: quantile edges crowd where "
                  "the policy rests. Item 14 moves them.",
                  100 * left)};
  return told;
}

}  // namespace

Item discretisation() {
  return {
      9,
      "discretisation",
      "Discretisation error against bins, pruning error against trajectories",
      "The discretisation error falls with the bins of each dimension, the pruning error with the trajectories that "
      "estimate the visitation.",
      {"errors: absolute differences of mean returns over 100 episodes",
       "discretisation is judged without pruning: the teacher is asked in every cell",
       "pruning at 35 bins, edges from all 200 rollouts, cells from the first ones",
       "mountain car: Gaussian policy; pendulum: Boltzmann-Q after 5,000 steps, as in the published figure"},
      {Teacher::pendulum_v0, Teacher::mountain_car},
      true,
      16,
      2,
      measure,
      discretisation_rules,
      tell};
}

}  // namespace mercer::paper

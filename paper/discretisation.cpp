#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"

namespace mercer::paper {
namespace {

const std::vector<Head> heads{{Teacher::mountain_car, 0, false}, {Teacher::pendulum, 5000, true}};

std::string task_name(const Head& head) { return name_of(head.teacher) + "-" + name_of(head); }

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

Verdict judge(const Tables& tables) {
  const Rows bins(tables.at("discretisation")), episodes(tables.at("pruning"));
  Verdict verdict;
  verdict.saw = "";
  double left = 0;
  for (const Head& head : heads) {
    const std::string task = task_name(head);
    const Rows one = bins.where("task", task), two = episodes.where("task", task);
    const auto error = [](const Rows& rows, const char* by, double value) {
      return rows.where(by, value).mean("error");
    };
    const double coarse = error(one, "bins", one.least("bins")), fine = error(one, "bins", one.most("bins"));
    const double few = error(two, "episodes", two.least("episodes")),
                 many = error(two, "episodes", two.most("episodes"));
    verdict.rules.push_back(below(task + ": more bins help",
                                  "|return difference| to the teacher with most bins < with fewest", fine, coarse));
    verdict.rules.push_back(
        below(task + ": more trajectories help",
              "|return difference| between pruned and full lattice with most trajectories < with fewest", many, few));
    verdict.saw += fmt::format(
        "{}: discretisation error {:.3g} with {:.0f} bins, {:.3g} with {:.0f}; pruning error {:.3g} after {:.0f} "
        "trajectories, {:.3g} after {:.0f}. ",
        task, coarse, one.least("bins"), fine, one.most("bins"), few, two.least("episodes"), many,
        two.most("episodes"));
    left = std::max(left, fine / std::abs(one.mean("teacher")));
  }
  verdict.saw.pop_back();
  verdict.because = {below("bins in the wrong place",
                           "10% of |return| < discretisation error that is left with most bins", 0.1, left)};
  verdict.reason = fmt::format(
      "With the most bins {:.0f}% of the return is still lost on the worse task: quantile edges crowd where the "
      "policy rests. Item 14 moves them.",
      100 * left);
  return verdict;
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
      {Teacher::pendulum, Teacher::mountain_car},
      true,
      16,
      2,
      measure,
      judge};
}

}  // namespace mercer::paper

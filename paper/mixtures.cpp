#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

const std::vector<Head> heads{{Teacher::pendulum_v0, 5000, false}, {Teacher::mountain_car, 0, false}};
constexpr std::size_t points = 1000;  // to fit, and as many others to judge
constexpr std::uint64_t restarts = 5;

std::string task_name(const Head& head) { return head.teacher == Teacher::mountain_car ? "mountain-car" : "pendulum"; }

// Visited states with the actions played there, each coordinate divided by half its range: `count` rows from `first`
// on, evenly picked.
std::vector<double> pairs(const Env& env, const Rollouts& met, std::size_t first, std::size_t count) {
  const std::vector<Axis>& states = env.task().observation.axes;
  const Range torque = env.task().action.axes[0].range;
  std::vector<double> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t step = (first + 2 * i) * (met.steps() / (2 * count));
    for (std::size_t d = 0; d < states.size(); ++d) {
      rows.push_back(met.observations[step * states.size() + d] / (states[d].range.width() / 2));
    }
    rows.push_back(met.actions[step] / (torque.width() / 2));
  }
  return rows;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["fits"] = {{"seed", "task", "k", "restart", "train", "test", "collapsed", "rounds"}};
  for (const Head& head : heads) {
    const TrainedPolicy trained = load_policy(bench, head);
    const Rollouts met = visits(bench, head);
    const std::size_t columns = trained.env->task().observation.axes.size() + 1;
    const std::vector<double> seen = pairs(*trained.env, met, 0, points), fresh = pairs(*trained.env, met, 1, points);
    const std::vector<std::size_t> ks{2, 4, 8, 16, 32, 64};
    std::vector<std::vector<Cell>> rows(ks.size() * restarts);
    for_each_block(rows.size(), 1, [&](Block block) {
      bench.progress.check();
      const std::size_t k = ks[block.begin / restarts];
      MixtureOptions options;
      options.seed = 1000 * bench.seed + block.begin % restarts;
      options.iterations = 50;
      const MixtureFit fit = fit_mixture({seen.data(), points, columns}, k, {}, {}, options);
      double collapsed = 0;
      for (std::size_t c = 0; c < k; ++c) {
        const auto own = std::span(fit.mixture.variances).subspan(c * columns, columns);
        collapsed += *std::ranges::min_element(own) <= 10 * options.floor ? 1 : 0;
      }
      rows[block.begin] = {double(bench.seed),
                           task_name(head),
                           double(k),
                           double(block.begin % restarts),
                           fit.log_likelihoods.back(),
                           mean_of(log_density(fit.mixture, {fresh.data(), points, columns})),
                           100 * collapsed / static_cast<double>(k),
                           double(fit.log_likelihoods.size() - 1)};
    });
    for (auto& row : rows) frame.add(std::move(row));
  }
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("fits"));
  Told told{
      "EM on 1,000 visited states with their actions, with 2, 8, 32 and 64 components: spread of the held-out "
      "log-likelihood over five starts, its gap to the data that was fitted, and components with a variance at the "
      "floor: "};
  for (const Head& head : heads) {
    const Rows own = all.where("task", task_name(head));
    told.saw += task_name(head) + " ";
    for (const double k : {2.0, 8.0, 32.0, 64.0}) {
      const Rows one = own.where("k", k);
      Seeds spreads;
      for (const double seed : one.distinct("seed")) spreads.push_back(one.where("seed", seed).sd("test"));
      told.saw += fmt::format("{:.2g}, {:.2g} and {:.0f}%; ", mean_of(spreads), one.mean("train") - one.mean("test"),
                              one.mean("collapsed"));
    }
  }
  told.saw.replace(told.saw.size() - 2, 2, ".");
  told.why = {
      "What grows with the components is the gap between fitted and fresh data: many components fit the sample."};
  return told;
}

}  // namespace

Item mixtures() {
  return {
      19,
      "mixtures",
      "Stability of expectation-maximisation on pendulum and mountain car",
      "Mixtures are left out for pendulum and mountain car because EM runs into stability problems with many "
      "components.",
      {"one mixture of states and actions together, diagonal covariances, variances at least 1e-6",
       "unstable: five starts (k-means++) end at more different held-out likelihoods than with fewer components, or "
       "components collapse",
       "1,000 visited pairs to fit, 1,000 others to judge, 50 rounds"},
      {Teacher::pendulum_v0, Teacher::mountain_car},
      true,
      4,
      1,
      measure,
      mixtures_rules,
      tell};
}

}  // namespace mercer::paper

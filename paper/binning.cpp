#include <algorithm>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/lattice.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t points = 4000;
constexpr double sd = 0.3;
constexpr std::size_t gaussian_bins = 10;
constexpr std::size_t car_bins = 30;
constexpr std::size_t histogram_bins = 40;

const char* const axis_names[] = {"x", "y"};

// Columns of two numbers each: quantile edges, and counts on a fine even grid to draw.
void add_case(Tables& tables, const Bench& bench, const std::string& name, const std::vector<double>& x,
              const std::vector<double>& y, std::size_t bins) {
  Grid even;
  const std::vector<double>* data[] = {&x, &y};
  std::vector<double> rows(x);
  rows.insert(rows.end(), y.begin(), y.end());
  const MatrixView<const double> columns(rows.data(), 2, x.size());
  for (std::size_t d = 0; d < 2; ++d) {
    const Edges edges = make_edges(*data[d], bins, {EdgeKind::quantile});
    for (std::size_t b = 0; b < edges.bins(); ++b) {
      const double inside =
          static_cast<double>(std::ranges::count_if(*data[d], [&](double value) { return edges.bin(value) == b; }));
      tables["edges"].add(
          {double(bench.seed), name, axis_names[d], double(b), edges.values[b], edges.values[b + 1], inside});
    }
    even.axes.push_back(make_edges(*data[d], histogram_bins, {EdgeKind::uniform}));
  }
  const Cells cells(even, columns);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    tables["histogram"].add(
        {double(bench.seed), name, cells.centre(c, 0), cells.centre(c, 1), static_cast<double>(cells.counts()[c])});
  }
}

Tables measure(const Bench& bench) {
  Tables tables{{"edges", {{"seed", "case", "axis", "bin", "low", "high", "count"}}},
                {"histogram", {{"seed", "case", "x", "y", "count"}}},
                {"returns", {{"seed", "mean", "sd"}}}};
  std::vector<double> x, y;
  for (std::size_t i = 0; i < points; ++i) {
    Random random({bench.seed, Stage::simulate, i, 0});
    x.push_back((i % 2 == 0 ? -1 : 1) + sd * random.normal());
    y.push_back((i % 4 < 2 ? -1 : 1) + sd * random.normal());
  }
  add_case(tables, bench, "gaussians", x, y, gaussian_bins);

  const TrainedPolicy trained = load_policy(bench, {Teacher::dqn, 0, false});
  RolloutOptions options;
  options.episodes = 500;
  options.seed = 1000 * bench.seed + 1;
  const Rollouts met = rollout(*trained.env, *trained.policy, options, bench.progress);
  x.clear(), y.clear();
  for (std::size_t i = 0; i < met.steps(); ++i) {
    x.push_back(met.observations[2 * i]);
    y.push_back(met.observations[2 * i + 1]);
  }
  add_case(tables, bench, "mountain-car", x, y, car_bins);
  const ReturnSummary summary = summarise(met.returns);
  tables["returns"].add({double(bench.seed), summary.mean, summary.std});
  return tables;
}

Told tell(const Tables& tables) {
  const Rules found = binning_rules(tables);
  const auto left = [&](std::size_t i) { return found.claims[i].left; };
  const auto right = [&](std::size_t i) { return found.claims[i].right; };
  return {
      fmt::format("Four Gaussians: bins are {:.2f} wide near the centres, {:.2f} elsewhere; the widest inner bin "
                  "{:.2f}, the narrower end bin {:.2f}. Mountain car (return {:.1f}): {:.0f} visits near the start, "
                  "{:.0f} in as long a stretch at the end; {:.0f} and {:.0f} of a visited cell.",
                  left(0), right(0), left(1), right(1), -left(3), right(4), left(4), right(5), left(5)),
      {fmt::format("Between the Gaussians hardly any points lie, so the bin that spans the gap is {:.2f} wide, and an "
                   "end bin, which stops at the outermost point, {:.2f}.",
                   left(1), right(1)),
       fmt::format("The car passes the start at many speeds and the end at few: {:.0f} and {:.0f} cells are met there.",
                   found.reasons[1].right, found.reasons[1].left)}};
}

}  // namespace

Item binning() {
  return {11,
          "binning",
          "Quantile binning of four Gaussians and of mountain-car visits",
          "Quantile bins are dense where points are and the outermost are the widest; states near the start of the "
          "mountain car are visited more often than those at the end.",
          {"centres of the Gaussians: (-1, -1), (-1, 1), (1, -1), (1, 1)",
           "DQN: the library's recipe for mountain-car, 120,000 steps"},
          {Teacher::dqn},
          true,
          2,
          1,
          measure,
          binning_rules,
          tell};
}

}  // namespace mercer::paper

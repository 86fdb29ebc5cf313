#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/lattice.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"

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

// Width of the bins at both ends, the smaller of them, against the widest in between; both over all axes.
struct Widths {
  double outer = std::numeric_limits<double>::infinity();
  double inner = 0;
  double dense = 0, sparse = 0;  // mean widths near the centres and away from them
  double uneven = 0;             // largest relative difference of the bins' counts
};
Widths widths(const Frame& edges) {
  Widths found;
  std::vector<double> near, far;
  for (const char* axis : axis_names) {
    const Rows rows = Rows(edges).where("case", "gaussians").where("axis", axis);
    const std::vector<double> low = rows.numbers("low"), high = rows.numbers("high"), bin = rows.numbers("bin");
    for (std::size_t i = 0; i < low.size(); ++i) {
      const double width = high[i] - low[i], centre = std::abs((low[i] + high[i]) / 2);
      const bool end = bin[i] == 0 || bin[i] == rows.most("bin");
      if (end) found.outer = std::min(found.outer, width);
      if (!end) found.inner = std::max(found.inner, width);
      (std::abs(centre - 1) < sd ? near : far).push_back(width);
    }
    found.uneven = std::max(found.uneven, (rows.most("count") - rows.least("count")) / rows.mean("count"));
  }
  found.dense = mean_of(near);
  found.sparse = mean_of(far);
  return found;
}

Verdict judge(const Tables& tables) {
  const Widths found = widths(tables.at("edges"));
  // Two readings of "visited more often": all visits of a stretch of 0.2, and visits of one cell that was met.
  const Rows cars = Rows(tables.at("histogram")).where("case", "mountain-car");
  const Rows first = cars.between("x", -0.6, -0.4), last = cars.between("x", 0.3, 0.5);
  const double start = first.mean("count"), end = last.mean("count");
  const double start_all = start * static_cast<double>(first.size()), end_all = end * static_cast<double>(last.size());
  const double earned = Rows(tables.at("returns")).mean("mean");
  Verdict verdict;
  verdict.rules = {
      below("denser where the points are", "mean width of bins within one sd of a centre < of the others", found.dense,
            found.sparse),
      below("outermost bins are the widest", "widest inner bin < narrower of the end bins", found.inner, found.outer),
      at_most("equally many in each bin", "relative difference of the bins' counts <= 1%", found.uneven, 0.01),
      at_most("the DQN converged", "-110 <= mean return of the greedy policy", -110, earned),
      below("more visits near the start", "visits at positions from 0.3 to 0.5 < from -0.6 to -0.4", end_all,
            start_all),
      below("more visits of each cell there", "mean visits of a visited cell from 0.3 to 0.5 < from -0.6 to -0.4", end,
            start)};
  verdict.saw = fmt::format(
      "Four Gaussians: bins are {:.2f} wide near the centres, {:.2f} elsewhere; the widest inner bin {:.2f}, the "
      "narrower end bin {:.2f}. Mountain car (return {:.1f}): {:.0f} visits near the start, {:.0f} in as long a "
      "stretch at the end; {:.0f} and {:.0f} of a visited cell.",
      found.dense, found.sparse, found.inner, found.outer, earned, start_all, end_all, start, end);
  verdict.because = {below("a gap needs one wide bin", "narrower end bin < widest inner bin", found.outer, found.inner),
                     below("paths meet at the end", "visited cells from 0.3 to 0.5 < from -0.6 to -0.4",
                           static_cast<double>(last.size()), static_cast<double>(first.size()))};
  verdict.reason = fmt::format(
      "Between the Gaussians hardly any points lie, so the bin that spans the gap is {:.2f} wide, and an end bin, "
      "which stops at the outermost point, {:.2f}. The car passes the start at many speeds and the end at few: {} and "
      "{} cells are met there.",
      found.inner, found.outer, first.size(), last.size());
  return verdict;
}

}  // namespace

Item binning() {
  return {11,
          "binning",
          "Quantile binning of four Gaussians and of mountain-car visits",
          "Quantile bins are dense where points are and the outermost are the widest; states near the start of the "
          "mountain car are visited more often than those at the end.",
          {"centres of the Gaussians: (-1, -1), (-1, 1), (1, -1), (1, 1)",
           "DQN: the library's recipe for mountain-car, 120,000 steps; one seed"},
          {Teacher::dqn},
          false,
          2,
          1,
          measure,
          judge};
}

}  // namespace mercer::paper

#include <cmath>
#include <limits>

#include "paper/rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr double sd = 0.3;  // of the Gaussians

struct Widths {
  Seeds outer, inner;   // the narrower end bin, the widest one in between
  Seeds dense, sparse;  // mean widths near the centres and away from them
  Seeds uneven;         // largest relative difference of the bins' counts
};

Widths widths(const Rows& edges) {
  Widths all;
  for (const double seed : edges.distinct("seed")) {
    double outer = std::numeric_limits<double>::infinity(), inner = 0, uneven = 0;
    Seeds near, far;
    for (const char* axis : {"x", "y"}) {
      const Rows rows = edges.where("seed", seed).where("axis", axis);
      const Seeds low = rows.numbers("low"), high = rows.numbers("high"), bin = rows.numbers("bin");
      for (std::size_t i = 0; i < low.size(); ++i) {
        const double width = high[i] - low[i], centre = std::abs((low[i] + high[i]) / 2);
        const bool end = bin[i] == 0 || bin[i] == rows.most("bin");
        if (end) outer = std::min(outer, width);
        if (!end) inner = std::max(inner, width);
        (std::abs(centre - 1) < sd ? near : far).push_back(width);
      }
      uneven = std::max(uneven, (rows.most("count") - rows.least("count")) / rows.mean("count"));
    }
    all.outer.push_back(outer), all.inner.push_back(inner), all.uneven.push_back(uneven);
    all.dense.push_back(mean_of(near)), all.sparse.push_back(mean_of(far));
  }
  return all;
}

}  // namespace

Rules binning_rules(const Tables& tables) {
  const Widths found = widths(Rows(tables.at("edges")).where("case", "gaussians"));
  // Two readings of "visited more often": all visits of a stretch of 0.2, and visits of one cell that was met.
  const Rows cars = Rows(tables.at("histogram")).where("case", "mountain-car");
  Seeds first, last, first_cell, last_cell, first_cells, last_cells, short_of;
  for (const double seed : cars.distinct("seed")) {
    const Rows own = cars.where("seed", seed), start = own.between("x", -0.6, -0.4), end = own.between("x", 0.3, 0.5);
    first_cell.push_back(start.mean("count")), last_cell.push_back(end.mean("count"));
    first_cells.push_back(static_cast<double>(start.size())), last_cells.push_back(static_cast<double>(end.size()));
    first.push_back(first_cell.back() * first_cells.back()), last.push_back(last_cell.back() * last_cells.back());
  }
  for (const double earned : per_seed(Rows(tables.at("returns")), "mean")) short_of.push_back(-earned);
  return {
      {less("denser where the points are", "mean width of bins within one sd of a centre < of the others", found.dense,
            found.sparse),
       less("outermost bins are the widest", "widest inner bin < narrower of the end bins", found.inner, found.outer),
       below("equally many in each bin", "relative difference of the bins' counts < 1%", found.uneven, 0.01),
       below("the DQN converged", "minus the mean return of the greedy policy < 110", short_of, 110),
       less("more visits near the start", "visits at positions from 0.3 to 0.5 < from -0.6 to -0.4", last, first),
       less("more visits of each cell there", "mean visits of a visited cell from 0.3 to 0.5 < from -0.6 to -0.4",
            last_cell, first_cell)},
      {less("a gap needs one wide bin", "narrower end bin < widest inner bin", found.outer, found.inner),
       less("paths meet at the end", "visited cells from 0.3 to 0.5 < from -0.6 to -0.4", last_cells, first_cells)}};
}

}  // namespace mercer::paper

#include <algorithm>
#include <cmath>
#include <limits>

#include "paper/rules/rules.hpp"
#include "paper/trials.hpp"

namespace mercer::paper {

// One policy for each task, so nothing is tested: what is expected of these numbers.
Rules real_size_rules(const Tables& tables) {
  const Rows cells(tables.at("cells")), loss(tables.at("loss"));
  const double most = cells.most("dimensions");
  const Rows ten = cells.where("bins", 10.0);
  const auto of = [](const Rows& rows, const char* method) { return rows.where("method", method); };
  // Where a lattice does not reach: by how much the continuous embedding loses more than the better lattice.
  double worse = -std::numeric_limits<double>::infinity();
  for (const double d : loss.distinct("dimensions")) {
    if (d <= 3) continue;
    const Rows own = loss.where("dimensions", d);
    const double lattice =
        std::min(of(own, "paper lattice").mean("loss_percent"), of(own, "best lattice").mean("loss_percent"));
    worse = std::max(worse, of(own, "64 ridges").mean("loss_percent") - lattice);
  }
  const Rows largest = loss.where("dimensions", most);
  return {
      {certain("fewer cells are met again",
               "Kendall's tau of dimensions and fresh states in visited cells of 10 bins "
               "<= -0.5",
               kendall(ten.numbers("dimensions"), ten.numbers("met")), -0.5),
       certain("with 35 bins none is", "percentage of fresh states in a visited cell, most dimensions, 35 bins <= 1",
               cells.where("dimensions", most).where("bins", 35.0).mean("met"), 1),
       certain("the published lattice loses most", "50% <= loss of the paper lattice of 3 bins, most dimensions", 50,
               of(largest, "paper lattice").mean("loss_percent")),
       certain("without a lattice less is lost",
               "more than 3 dimensions: loss of 64 ridges - loss of the better lattice, largest over tasks <= 0", worse,
               0)},
      {}};
}

}  // namespace mercer::paper

#include "certify/lattice_rows.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {
namespace {

constexpr std::size_t most_outside = 2000;  // visits of cells that are not kept, to average over

std::size_t cells_of(const Grid& actions) { return static_cast<std::size_t>(actions.cells()); }

}  // namespace

void make_sum_to_one(std::span<double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& value : row) value = sum > 0 ? value / sum : 1 / static_cast<double>(row.size());
}

Points middles(const Cells& cells) {
  Points points(cells.grid().dimensions(), cells.size());
  for (std::size_t d = 0; d < points.dimensions; ++d) {
    for (std::size_t c = 0; c < points.count; ++c) points.numbers[d * points.count + c] = cells.centre(c, d);
  }
  return points;
}

Points points_outside(const Rollouts& rollouts, const Cells& cells) {
  const std::size_t dims = cells.grid().dimensions();
  std::vector<std::size_t> found;
  for (std::size_t t = 0; t < rollouts.steps() && found.size() < most_outside; ++t) {
    if (cells.find(rollouts.observations.data() + t * dims) == Cells::none) found.push_back(t);
  }
  Points points(dims, found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t d = 0; d < dims; ++d) {
      points.numbers[d * found.size() + i] = rollouts.observations[found[i] * dims + d];
    }
  }
  return points;
}

std::vector<double> undrawn_rows(const Policy& policy, const Points& points, const Grid& actions) {
  const std::size_t m = cells_of(actions), dims = actions.dimensions();
  std::vector<double> chosen(dims * points.count), rows(points.count * m);
  policy.mean_action(points.view(), MatrixView<double>(chosen.data(), dims, points.count));
  for (std::size_t i = 0; i < points.count; ++i) {
    std::size_t cell = 0;
    for (std::size_t d = 0; d < dims; ++d) {
      cell = cell * actions.axes[d].bins() + actions.axes[d].bin(chosen[d * points.count + i]);
    }
    rows[i * m + cell] = 1;
  }
  return rows;
}

std::vector<double> drawn_rows(const Policy& policy, const Points& points, const Grid& actions, bool density) {
  const std::size_t m = cells_of(actions), dims = actions.dimensions();
  std::vector<double> chosen(dims * points.count), logs(points.count), rows(points.count * m);
  const MatrixView<double> columns(chosen.data(), dims, points.count);
  for (std::size_t a = 0; a < m; ++a) {
    double width = 1;
    for (std::size_t d = 0; d < dims; ++d) {
      const std::size_t bin = actions.bin(a, d);
      std::ranges::fill(columns.row(d), actions.axes[d].centre(bin));
      if (density) width *= actions.axes[d].width(bin);
    }
    policy.log_prob(points.view(), columns, logs);
    for (std::size_t i = 0; i < points.count; ++i) rows[i * m + a] = std::exp(logs[i]) * width;
  }
  for (std::size_t i = 0; i < points.count; ++i) make_sum_to_one(std::span(rows).subspan(i * m, m));
  return rows;
}

std::vector<double> lattice_rows(const LatticePolicy& policy, const Points& points, Act act) {
  const Grid& actions = policy.actions();
  if (act == Act::mean) return undrawn_rows(policy, points, actions);
  const bool density = !policy.action_space().is_discrete() && policy.playing().noise;
  return drawn_rows(policy, points, actions, density);
}

LatticePolicy discretised_teacher(const Policy& teacher, const LatticePolicy& student) {
  return {"lattice",
          student.contract(),
          std::make_shared<const Cells>(student.cells()),
          student.actions(),
          tabulate(teacher, student.cells(), student.actions(), TableRule::mass),
          student.playing()};
}

}  // namespace mercer

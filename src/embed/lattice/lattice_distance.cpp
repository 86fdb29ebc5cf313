#include <algorithm>

#include <fmt/format.h>

#include "embed/lattice/row_distance.hpp"
#include "mercer/embed.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

std::vector<double> marginal(std::span<const double> row, const Grid& grid, std::size_t dimension) {
  std::vector<double> sums(grid.axes[dimension].bins());
  for (std::size_t a = 0; a < row.size(); ++a) sums[grid.bin(a, dimension)] += row[a];
  return sums;
}

double largest_marginal_distance(std::span<const double> p, std::span<const double> q, const Grid& grid) {
  double largest = 0;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    std::vector<double> atoms;
    for (std::size_t b = 0; b < grid.axes[d].bins(); ++b) atoms.push_back(grid.axes[d].centre(b));
    largest = std::max(largest, wasserstein_on_atoms(marginal(p, grid, d), marginal(q, grid, d), atoms));
  }
  return largest;
}

}  // namespace

RowDistance row_distance(std::span<const double> own, std::span<const double> other, const Grid& actions) {
  return {largest_marginal_distance(own, other, actions), total_variation(own, other)};
}

W1Kind w1_kind(const Grid& actions) { return actions.dimensions() == 1 ? W1Kind::exact : W1Kind::marginal; }

LatticeDistance lattice_distance(const Lattice& lattice, const PolicyTable& other) {
  const PolicyTable& own = lattice.table;
  if (own.rows != other.rows || own.cols != other.cols) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("tables of {} x {} and {} x {}", own.rows, own.cols, other.rows, other.cols),
                "Give a table of the same lattice");
  }
  LatticeDistance distance;
  distance.w1_kind = w1_kind(lattice.actions);
  const std::vector<double> visits = lattice.visits();
  double total = 0;
  for (std::size_t r = 0; r < own.rows; ++r) {
    const RowDistance of_row = row_distance(own.row(r), other.row(r), lattice.own.of(r, lattice.actions));
    distance.w1 += visits[r] * of_row.w1;
    distance.tv += visits[r] * of_row.tv;
    total += visits[r];
  }
  distance.w1 /= total;
  distance.tv /= total;
  return distance;
}

}  // namespace mercer

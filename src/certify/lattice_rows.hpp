#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "mercer/embedding.hpp"

namespace mercer {

/// Points as columns, one row for each dimension.
struct Points {
  std::size_t dimensions;
  std::size_t count;
  std::vector<double> numbers;
  Points(std::size_t dims, std::size_t size) : dimensions(dims), count(size), numbers(dims * size) {}
  MatrixView<const double> view() const { return {numbers.data(), dimensions, count}; }
};

Points middles(const Cells& cells);

/// Divides a row by its sum; one that has none becomes uniform.
void make_sum_to_one(std::span<double> row);

/// The first 2,000 visits of cells that are not kept.
Points points_outside(const Rollouts& rollouts, const Cells& cells);

/// Rows of action cells, all on the cell of the action that is played without drawing.
std::vector<double> undrawn_rows(const Policy& policy, const Points& points, const Grid& actions);

/// Probabilities of the action cells, for policies that are the same all over a cell: discrete ones and lattices. With
/// `density` what the policy reports is one.
std::vector<double> drawn_rows(const Policy& policy, const Points& points, const Grid& actions, bool density);

/// What a policy on a lattice does at points, as rows of its action cells.
std::vector<double> lattice_rows(const LatticePolicy& policy, const Points& points, Act act);

/// The teacher's bin masses on the student's own lattice, played as the student is.
LatticePolicy discretised_teacher(const Policy& teacher, const LatticePolicy& student);

}  // namespace mercer

#pragma once

#include <cstdint>
#include <vector>

#include "basis/functions/index_limits.hpp"

namespace mercer {

inline constexpr std::size_t most_rows = 1024;

/// What evaluating terms needs, worked out once: which one-dimensional functions there are and which of them each term
/// multiplies. Tensor terms come sorted by their number of factors, so that each count is one loop without branches.
struct TermPlan {
  // A piece of the line that bends a coordinate: clamp((x - from) * slope, 0, 1) * height.
  struct Piece {
    double from, slope;
  };
  struct AxisPlan {
    double middle, per_half;
    bool periodic;
    std::vector<Piece> pieces;
    std::size_t rows;   // one-dimensional functions that are needed, at least one
    std::size_t first;  // the row of the constant one
  };
  std::vector<AxisPlan> axes{};
  Family family = Family::legendre;
  bool plain_chebyshev = false;      // that family, and every axis neither periodic nor bent
  std::vector<std::size_t> place{};  // of the plan's terms among those that were given
  std::vector<double> norm{};        // of the plan's terms
  std::size_t constants = 0, tensors = 0;
  std::vector<std::uint16_t> singles{};       // the row of each product of one factor
  std::vector<std::uint32_t> pairs{};         // the rows of each of two, the first in the low 16 bits
  std::vector<std::uint64_t> triples{};       // and of three
  std::vector<std::uint16_t> factors{};       // the rows of longer ones
  std::vector<std::uint32_t> longer_begin{};  // of each longer one among `factors`, and the end
  Kernel kernel = Kernel::gaussian;
  std::vector<double> waves{}, ridges{}, centres{}, inverse_width{};  // by term

  std::size_t dimensions() const { return axes.size(); }
};

/// Throws `shape_mismatch` for terms that do not fit the axes, `too_large` beyond `most_rows` one-dimensional
/// functions, and what `check_terms` throws.
TermPlan make_plan(const Terms& terms, const Coordinates& coordinates);

}  // namespace mercer

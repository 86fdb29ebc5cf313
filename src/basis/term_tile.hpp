#pragma once

#include <algorithm>
#include <array>

#include "basis/family_rows.hpp"
#include "basis/term_plan.hpp"
#include "mercer/core/matrix_view.hpp"

namespace mercer {

/// Coordinates and one-dimensional functions of one state (Number = double) or of eight (Lanes).
template <class Number>
struct TermTile {
  static constexpr std::size_t together = 64;  // terms at a time
  std::array<Number, most_axes> x;
  std::array<Number, most_rows> rows;

  /// From `count` states, column `begin` on.
  [[gnu::always_inline]] void fill(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                   std::size_t count) {
    for (std::size_t d = 0; d < plan.axes.size(); ++d) {
      const TermPlan::AxisPlan& axis = plan.axes[d];
      Number at = (load<Number>(&states(d, begin), count) - axis.middle) * axis.per_half;
      if (!axis.periodic) at = clamped(at, -1, 1);
      if (!axis.pieces.empty()) {
        Number bent = all<Number>(-1);
        for (const TermPlan::Piece& piece : axis.pieces) {
          const Number part = clamped((at - piece.from) * piece.slope, 0, 1);
          bent = fused(part, 2.0 / static_cast<double>(axis.pieces.size()), bent);
        }
        at = bent;
      }
      x[d] = at;
      if (plan.tensors > 0) fill_family(plan.family, axis.periodic, at, axis.rows, rows.data() + axis.first);
    }
  }

  /// Terms [from, to) of the plan, to - from <= together, each at out[term - from].
  [[gnu::always_inline]] void evaluate(const TermPlan& plan, std::size_t from, std::size_t to, Number* out) const {
    std::size_t t = from;
    for (; t < std::min(to, plan.constants); ++t) out[t - from] = all<Number>(1);
    const std::size_t before_pairs = plan.constants + plan.singles, before_longer = before_pairs + plan.pairs;
    const std::uint16_t* factor = plan.factors.data();
    for (; t < std::min(to, before_pairs); ++t) out[t - from] = rows[factor[t - plan.constants]];
    for (; t < std::min(to, before_longer); ++t) {
      const std::uint16_t* two = factor + plan.singles + 2 * (t - before_pairs);
      out[t - from] = rows[two[0]] * rows[two[1]];
    }
    for (; t < std::min(to, plan.tensors); ++t) {
      const std::uint32_t* begin = plan.longer_begin.data() + (t - before_longer);
      Number product = rows[factor[begin[0]]] * rows[factor[begin[0] + 1]];
      for (std::uint32_t f = begin[0] + 2; f < begin[1]; ++f) product *= rows[factor[f]];
      out[t - from] = product;
    }
    for (; t < to; ++t) out[t - from] = other_term(plan, t - plan.tensors);
  }

 private:
  Number affine(const double* w, std::size_t dimensions) const {
    Number sum = all<Number>(w[dimensions]);
    for (std::size_t i = 0; i < dimensions; ++i) sum = fused(x[i], w[i], sum);
    return sum;
  }

  // A wave, ridge or bump.
  [[gnu::noinline]] Number other_term(const TermPlan& plan, std::size_t term) const {
    const std::size_t d = plan.dimensions();
    if (term < plan.waves.size() / (d + 1)) {
      constexpr std::size_t columns = sizeof(Number) / sizeof(double);
      alignas(64) std::array<double, columns> angle, cosines;
      store(affine(plan.waves.data() + term * (d + 1), d), angle.data(), columns);
      cosine(angle, cosines);
      return load<Number>(cosines.data(), columns);
    }
    term -= plan.waves.size() / (d + 1);
    if (term < plan.ridges.size() / (d + 1)) return tanh_of(affine(plan.ridges.data() + term * (d + 1), d));
    term -= plan.ridges.size() / (d + 1);
    Number squared = all<Number>(0);
    for (std::size_t i = 0; i < d; ++i) {
      const Number away = x[i] - plan.centres[term * d + i];
      squared = fused(away, away, squared);
    }
    squared *= plan.inverse_width[term] * plan.inverse_width[term];
    if (plan.kernel == Kernel::gaussian) return exp_of(-0.5 * squared);
    if (plan.kernel == Kernel::matern32) {
      const Number root = root_of(3.0 * squared);
      return (1.0 + root) * exp_of(-root);
    }
    const Number root = root_of(5.0 * squared);
    return (1.0 + root + squared * (5.0 / 3)) * exp_of(-root);
  }
};

}  // namespace mercer

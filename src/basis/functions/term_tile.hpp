#pragma once

#include <algorithm>
#include <array>

#include "basis/functions/family_rows.hpp"
#include "basis/functions/term_plan.hpp"
#include "mercer/matrix_view.hpp"

namespace mercer {

/// Coordinates and one-dimensional functions of one state (Number = double) or of eight (Lanes).
template <class Number>
struct TermTile {
  static constexpr std::size_t together = 64;  // terms at a time
  std::array<Number, most_axes> x;
  std::array<Number, most_rows + chebyshev_least> rows;

  /// The same as `fill` for plans that are plain Chebyshev, as most are: no questions for each axis.
  [[gnu::always_inline]] void fill_plain(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                         std::size_t count) {
    for (std::size_t d = 0; d < plan.axes.size(); ++d) {
      const TermPlan::AxisPlan& axis = plan.axes[d];
      x[d] = clamped((load<Number>(&states(d, begin), count) - axis.middle) * axis.per_half, -1, 1);
      fill_chebyshev(x[d], axis.rows, rows.data() + axis.first);  // the next axis writes over what is too much
    }
  }

  /// From `count` states, column `begin` on.
  [[gnu::always_inline]] void fill(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                   std::size_t count) {
    if (plan.plain_chebyshev) return fill_plain(plan, states, begin, count);
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
    const std::size_t before_pairs = plan.constants + plan.singles.size(),
                      before_triples = before_pairs + plan.pairs.size(),
                      before_longer = before_triples + plan.triples.size();
    for (; t < std::min(to, before_pairs); ++t) out[t - from] = rows[plan.singles[t - plan.constants]];
    for (; t < std::min(to, before_triples); ++t) out[t - from] = pair(plan.pairs[t - before_pairs]);
    for (; t < std::min(to, before_longer); ++t) out[t - from] = triple(plan.triples[t - before_triples]);
    for (; t < std::min(to, plan.tensors); ++t) out[t - from] = longer_term(plan, t - before_longer);
    for (; t < to; ++t) out[t - from] = other_term(plan, t - plan.tensors);
  }

  /// The sum over all terms of c[term] times the term, in four parts, so that additions need not wait for each other.
  [[gnu::always_inline]] Number weighted_sum(const TermPlan& plan, const double* c) const {
    Number first = all<Number>(0), second = first, third = first, fourth = first;
    const auto add = [&](std::size_t count, auto term) __attribute__((always_inline)) {
      std::size_t t = 0;
      for (; t + 4 <= count; t += 4) {
        first = fused(term(t), c[t], first);
        second = fused(term(t + 1), c[t + 1], second);
        third = fused(term(t + 2), c[t + 2], third);
        fourth = fused(term(t + 3), c[t + 3], fourth);
      }
      if (t < count) first = fused(term(t), c[t], first);
      if (t + 1 < count) second = fused(term(t + 1), c[t + 1], second);
      if (t + 2 < count) third = fused(term(t + 2), c[t + 2], third);
      c += count;
    };
    add(plan.constants, [](std::size_t) { return all<Number>(1); });
    add(plan.singles.size(), [&](std::size_t t) { return rows[plan.singles[t]]; });
    add(plan.pairs.size(), [&](std::size_t t) { return pair(plan.pairs[t]); });
    add(plan.triples.size(), [&](std::size_t t) { return triple(plan.triples[t]); });
    const std::size_t longer = plan.constants + plan.singles.size() + plan.pairs.size() + plan.triples.size();
    add(plan.tensors - longer, [&](std::size_t t) { return longer_term(plan, t); });
    add(plan.place.size() - plan.tensors, [&](std::size_t t) { return other_term(plan, t); });
    return (first + second) + (third + fourth);
  }

 private:
  // Rows by their numbers in 16 bits each: reading memory is what bounds many short products.
  Number pair(std::uint32_t two) const { return rows[two & 0xFFFF] * rows[two >> 16]; }
  Number triple(std::uint64_t three) const {
    return rows[three & 0xFFFF] * rows[three >> 16 & 0xFFFF] * rows[three >> 32];
  }
  // A product of four factors or more.
  [[gnu::noinline]] Number longer_term(const TermPlan& plan, std::size_t t) const {
    std::uint32_t f = plan.longer_begin[t];
    Number product = rows[plan.factors[f]] * rows[plan.factors[f + 1]];
    for (f += 2; f < plan.longer_begin[t + 1]; ++f) product *= rows[plan.factors[f]];
    return product;
  }
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

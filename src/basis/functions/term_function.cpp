#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "basis/functions/family_rows.hpp"
#include "basis/functions/term_plan.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"
#include "mercer/matrix_view.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_outputs = 256;

// Coordinates and one-dimensional functions of one state (Number = double) or of eight (Lanes).
template <class Number>
struct TermTile {
  static constexpr std::size_t together = 64;  // terms at a time
  std::array<Number, most_coordinates> x;
  std::array<Number, most_rows + chebyshev_least> rows;

  // The same as `fill` for plans that are plain Chebyshev, as most are: no questions for each axis.
  [[gnu::always_inline]] void fill_plain(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                         std::size_t count) {
    for (std::size_t d = 0; d < plan.axes.size(); ++d) {
      const TermPlan::AxisPlan& axis = plan.axes[d];
      x[d] = clamped((load<Number>(&states(d, begin), count) - axis.middle) * axis.per_half, -1, 1);
      fill_chebyshev(x[d], axis.rows, rows.data() + axis.first);  // the next axis writes over what is too much
    }
  }

  // From `count` states, column `begin` on.
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

  // Terms [from, to) of the plan, to - from <= together, each at out[term - from].
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

  // The sum over all terms of c[term] times the term, in four parts, so that additions need not wait for each other.
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

  // A wave, ridge or RBF.
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

template <class Number, class Body>
[[gnu::always_inline]] inline void run_tile(const TermPlan& plan, MatrixView<const double> states, std::size_t begin,
                                            std::size_t count, Body body) {
  TermTile<Number> tile;
  tile.fill(plan, states, begin, count);
  body(tile, begin, count);
}

// Eight columns at a time; one that is left alone costs less by itself, and its result is the same.
template <class Body>
[[gnu::noinline]] void for_each_tile_of_many(const TermPlan& plan, MatrixView<const double> states, Body body) {
  std::size_t begin = 0;
  for (; begin + 1 < states.cols(); begin += lane_count) {
    run_tile<Lanes>(plan, states, begin, std::min(lane_count, states.cols() - begin), body);
  }
  if (begin < states.cols()) run_tile<double>(plan, states, begin, 1, body);
}
template <class Body>
[[gnu::always_inline]] inline void for_each_tile(const TermPlan& plan, MatrixView<const double> states, Body body) {
  if (states.cols() == 1) return run_tile<double>(plan, states, 0, 1, body);
  for_each_tile_of_many(plan, states, body);
}

// Sums up the outputs of a tile, then hands each to `put`.
template <class Number, class Put>
[[gnu::always_inline]] inline void sum_tile(const TermPlan& plan, const TermTile<Number>& tile,
                                            const std::vector<double>& coefficients, std::size_t outputs, Put put) {
  constexpr std::size_t together = TermTile<Number>::together;
  if (outputs == 1) return put(0, tile.weighted_sum(plan, coefficients.data()));
  const std::size_t count = plan.place.size();
  std::array<Number, together> part;
  std::array<Number, most_outputs> sums;
  std::fill_n(sums.begin(), outputs, all<Number>(0));
  for (std::size_t from = 0; from < count; from += together) {
    const std::size_t to = std::min(count, from + together);
    tile.evaluate(plan, from, to, part.data());
    for (std::size_t o = 0; o < outputs; ++o) {
      const double* c = coefficients.data() + o * count + from;
      Number sum = sums[o];
      for (std::size_t t = 0; t < to - from; ++t) sum = fused(part[t], c[t], sum);
      sums[o] = sum;
    }
  }
  for (std::size_t o = 0; o < outputs; ++o) put(o, sums[o]);
}

}  // namespace

TermFunction::TermFunction(const Terms& terms, const Coordinates& coordinates, std::span<const double> coefficients)
    : plan_(std::make_shared<const TermPlan>(make_plan(terms, coordinates))) {
  *this = with(coefficients);
}

std::size_t TermFunction::dimensions() const { return plan_->dimensions(); }
std::size_t TermFunction::size() const { return plan_->place.size(); }

TermFunction TermFunction::with(std::span<const double> coefficients) const {
  const std::size_t count = size();
  if (coefficients.empty() || coefficients.size() % count != 0 || coefficients.size() / count > most_outputs) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} coefficients for {} terms", coefficients.size(), count),
                "Give one for each term, for each of 1 to 256 outputs");
  }
  TermFunction made = *this;
  made.outputs_ = coefficients.size() / count;
  made.coefficients_.resize(coefficients.size());
  for (std::size_t o = 0; o < made.outputs_; ++o) {
    for (std::size_t t = 0; t < count; ++t)
      made.coefficients_[o * count + t] = coefficients[o * count + plan_->place[t]] * plan_->norm[t];
  }
  return made;
}

void TermFunction::operator()(MatrixView<const double> states, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&](const auto& tile, std::size_t begin, std::size_t count) {
    sum_tile(*plan_, tile, coefficients_, outputs_,
             [&](std::size_t o, auto value) { store(value, &out(o, begin), count); });
  });
}

void TermFunction::act(MatrixView<const double> states, bool squash, std::span<const double> centre,
                       std::span<const double> scale, std::span<const Range> clip, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&](const auto& tile, std::size_t begin, std::size_t count) {
    sum_tile(*plan_, tile, coefficients_, outputs_, [&](std::size_t o, auto value) {
      const auto action = fused(squash ? tanh_of(value) : value, scale[o], all<decltype(value)>(centre[o]));
      store(clamped(action, clip[o].low, clip[o].high), &out(o, begin), count);
    });
  });
}

bool TermFunction::acts_alone() const { return plan_->plain_chebyshev && outputs_ == 1; }

double TermFunction::act_alone(const double* state, std::size_t stride, bool squash, double centre, double scale,
                               Range clip) const {
  TermTile<double> tile;
  tile.fill_plain(*plan_, {state, plan_->dimensions(), 1, stride}, 0, 1);
  const double value = tile.weighted_sum(*plan_, coefficients_.data());
  return clamped(fused(squash ? tanh_of(value) : value, scale, centre), clip.low, clip.high);
}

void TermFunction::features(MatrixView<const double> states, MatrixView<double> out) const {
  for_each_tile(*plan_, states, [&]<class Number>(const TermTile<Number>& tile, std::size_t begin, std::size_t count) {
    constexpr std::size_t together = TermTile<Number>::together;
    std::array<Number, together> part;
    for (std::size_t from = 0; from < size(); from += together) {
      const std::size_t to = std::min(size(), from + together);
      tile.evaluate(*plan_, from, to, part.data());
      for (std::size_t t = from; t < to; ++t)
        store(part[t - from] * plan_->norm[t], &out(plan_->place[t], begin), count);
    }
  });
}

}  // namespace mercer

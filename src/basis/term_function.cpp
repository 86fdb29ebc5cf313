#include "mercer/basis/term_function.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "basis/family_rows.hpp"
#include "core/log_scale.hpp"
#include "mercer/core/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_rows = 1024, most_outputs = 256, most_axes = 64, together = 64;

// A piece of the line that bends a coordinate: clamp((x - from) * slope, 0, 1) * height.
struct Piece {
  double from, slope;
};

}  // namespace

// Tensor terms come sorted by their number of factors, so that each count is one loop without branches.
struct TermFunction::Plan {
  struct AxisPlan {
    double middle, per_half;
    bool periodic;
    std::vector<Piece> pieces;
    std::size_t rows;   // one-dimensional functions that are needed, at least one
    std::size_t first;  // the row of the constant one
  };
  std::vector<AxisPlan> axes;
  Family family = Family::legendre;
  std::vector<std::size_t> place;  // of the plan's terms among those that were given
  std::vector<double> norm;        // of the plan's terms
  std::size_t constants = 0, singles = 0, pairs = 0, tensors = 0;
  std::vector<std::uint16_t> factors;       // rows: one for each single, two for each pair, then the longer ones
  std::vector<std::uint32_t> longer_begin;  // of the longer ones among `factors`, and the end
  Kernel kernel = Kernel::gaussian;
  std::vector<double> waves, ridges, centres, inverse_width;  // by term

  std::size_t dimensions() const { return axes.size(); }

  void plan_axes(const Coordinates& coordinates);
  void plan_tensor(const Terms& terms);
  void plan_others(const Terms& terms);

  // x and the one-dimensional functions of `count` states from column `begin` on.
  void fill(MatrixView<const double> states, std::size_t begin, std::size_t count, Lanes* x, Lanes* rows) const;
  // Terms [from, to) of the plan at a tile, to - from <= together.
  void evaluate(const Lanes* x, const Lanes* rows, std::size_t from, std::size_t to, Lanes* out) const;
  Lanes evaluate_one(const Lanes* x, const Lanes* rows, std::size_t term) const;

  template <class Body>
  void for_each_tile(MatrixView<const double> states, Body body) const {
    std::array<Lanes, most_axes> x;
    std::array<Lanes, most_rows> rows;
    for (std::size_t begin = 0; begin < states.cols(); begin += lane_count) {
      const std::size_t count = std::min(lane_count, states.cols() - begin);
      fill(states, begin, count, x.data(), rows.data());
      body(begin, count, x.data(), rows.data());
    }
  }
};

void TermFunction::Plan::plan_axes(const Coordinates& coordinates) {
  for (const Coordinate& axis : coordinates) {
    AxisPlan made{(axis.range.low + axis.range.high) / 2, 2 / axis.range.width(), axis.periodic, {}, 1, 0};
    double before = -1;
    for (std::size_t j = 0; !axis.knots.empty() && j <= axis.knots.size(); ++j) {
      const double next = j == axis.knots.size() ? 1 : -1 + axis.knots[j] / 128.0;
      made.pieces.push_back({before, 1 / (next - before)});
      before = next;
    }
    axes.push_back(std::move(made));
  }
}

void TermFunction::Plan::plan_tensor(const Terms& terms) {
  family = terms.tensor.family;
  tensors = terms.tensor.kept.size();
  if (tensors == 0) return;
  const std::vector<std::uint8_t> all = list_indices(terms.tensor.set);
  const auto index = [&](std::size_t term) { return all.data() + terms.tensor.kept[term] * dimensions(); };
  const auto length = [&](std::size_t term) {
    return std::count_if(index(term), index(term) + dimensions(), [](std::uint8_t k) { return k > 0; });
  };
  std::stable_sort(place.begin(), place.begin() + static_cast<std::ptrdiff_t>(tensors),
                   [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
  for (std::size_t t = 0; t < tensors; ++t) {
    for (std::size_t d = 0; d < dimensions(); ++d) axes[d].rows = std::max<std::size_t>(axes[d].rows, index(t)[d] + 1U);
  }
  std::size_t rows = 0;
  for (AxisPlan& axis : axes) {
    axis.first = rows;
    rows += axis.rows;
  }
  if (rows > most_rows) {
    throw Error(ErrorCode::too_large,
                fmt::format("products of {} one-dimensional functions; legal: up to {}", rows, most_rows),
                "Take a smaller degree");
  }
  for (std::size_t t = 0; t < tensors; ++t) {
    const std::uint8_t* k = index(place[t]);
    const auto count = length(place[t]);
    if (count > 2) longer_begin.push_back(static_cast<std::uint32_t>(factors.size()));
    (count == 0 ? constants : count == 1 ? singles : pairs) += count <= 2 ? 1 : 0;
    norm[t] = 1;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      if (k[d] == 0) continue;
      norm[t] *= family_norm(family, axes[d].periodic, k[d]);
      factors.push_back(static_cast<std::uint16_t>(axes[d].first + k[d]));
    }
  }
  longer_begin.push_back(static_cast<std::uint32_t>(factors.size()));
}

void TermFunction::Plan::plan_others(const Terms& terms) {
  const std::size_t d = dimensions();
  kernel = terms.radials.kernel;
  waves.resize(terms.waves.kept.size() * (d + 1));
  for (std::size_t i = 0; i < terms.waves.kept.size(); ++i) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed, terms.waves.kept[i],
                   std::span(waves).subspan(i * (d + 1), d + 1));
    norm[tensors + i] = std::numbers::sqrt2;
  }
  for (const std::int16_t number : terms.ridges.numbers) ridges.push_back(number * from_log_scale(terms.ridges.unit));
  const double cells = std::ldexp(1.0, static_cast<int>(terms.radials.bits));
  for (const std::uint16_t cell : terms.radials.centres) centres.push_back(-1 + 2 * (cell + 0.5) / cells);
  for (std::size_t i = 0; i < terms.radial_count(); ++i) {
    const int width = terms.radials.widths.empty() ? 0 : terms.radials.widths[i];
    inverse_width.push_back(std::ldexp(1 / from_log_scale(terms.radials.length), width));
  }
}

[[gnu::always_inline]] inline void TermFunction::Plan::fill(MatrixView<const double> states, std::size_t begin,
                                                            std::size_t count, Lanes* x, Lanes* rows) const {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const AxisPlan& axis = axes[d];
    x[d] = (load_lanes(&states(d, begin), count) - axis.middle) * axis.per_half;
    if (!axis.periodic) x[d] = clamp_lanes(x[d], -1, 1);
    if (!axis.pieces.empty()) {
      Lanes bent = all_lanes(-1);
      for (const Piece& piece : axis.pieces) {
        const Lanes part = clamp_lanes((x[d] - piece.from) * piece.slope, 0, 1);
        bent = fused(part, 2.0 / static_cast<double>(axis.pieces.size()), bent);
      }
      x[d] = bent;
    }
    if (tensors > 0) fill_family(family, axis.periodic, x[d], axis.rows, rows + axis.first);
  }
}

Lanes TermFunction::Plan::evaluate_one(const Lanes* x, const Lanes* rows, std::size_t term) const {
  const std::size_t d = dimensions();
  if (term < tensors) {
    const std::size_t longer = term - constants - singles - pairs;
    Lanes product = rows[factors[longer_begin[longer]]];
    for (std::size_t f = longer_begin[longer] + 1; f < longer_begin[longer + 1]; ++f) product *= rows[factors[f]];
    return product;
  }
  term -= tensors;
  const auto affine = [&](const double* w) {
    Lanes sum = all_lanes(w[d]);
    for (std::size_t i = 0; i < d; ++i) sum = fused(x[i], w[i], sum);
    return sum;
  };
  if (term < waves.size() / (d + 1)) {
    alignas(64) std::array<double, lane_count> angle, cosines;
    store_lanes(affine(waves.data() + term * (d + 1)), angle.data(), lane_count);
    cosine(angle, cosines);
    return load_lanes(cosines.data(), lane_count);
  }
  term -= waves.size() / (d + 1);
  if (term < ridges.size() / (d + 1)) return tanh_lanes(affine(ridges.data() + term * (d + 1)));
  term -= ridges.size() / (d + 1);
  Lanes squared = all_lanes(0);
  for (std::size_t i = 0; i < d; ++i) {
    const Lanes away = x[i] - centres[term * d + i];
    squared = fused(away, away, squared);
  }
  squared *= inverse_width[term] * inverse_width[term];
  if (kernel == Kernel::gaussian) return exp_lanes(-0.5 * squared);
  if (kernel == Kernel::matern32) {
    const Lanes root = root_lanes(3.0 * squared);
    return (1.0 + root) * exp_lanes(-root);
  }
  const Lanes root = root_lanes(5.0 * squared);
  return (1.0 + root + squared * (5.0 / 3)) * exp_lanes(-root);
}

[[gnu::always_inline]] inline void TermFunction::Plan::evaluate(const Lanes* x, const Lanes* rows, std::size_t from,
                                                                std::size_t to, Lanes* out) const {
  std::size_t t = from;
  for (; t < std::min(to, constants); ++t) out[t - from] = all_lanes(1);
  const std::size_t before_pairs = constants + singles, before_longer = before_pairs + pairs;
  for (; t < std::min(to, before_pairs); ++t) out[t - from] = rows[factors[t - constants]];
  for (; t < std::min(to, before_longer); ++t) {
    const std::uint16_t* two = factors.data() + singles + 2 * (t - before_pairs);
    out[t - from] = rows[two[0]] * rows[two[1]];
  }
  for (; t < to; ++t) out[t - from] = evaluate_one(x, rows, t);
}

TermFunction::TermFunction(const Terms& terms, const Coordinates& coordinates, std::span<const double> coefficients) {
  check_terms(terms);
  const std::size_t count = terms.size();
  if (coordinates.size() != terms.dimensions() || coordinates.size() > most_axes || count == 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} terms of {} dimensions for {} axes", count, terms.dimensions(), coordinates.size()),
                "Give at least one term, and 1 to 64 axes");
  }
  auto plan = std::make_shared<Plan>();
  plan->place.resize(count);
  std::iota(plan->place.begin(), plan->place.end(), 0);
  plan->norm.assign(count, 1);
  plan->plan_axes(coordinates);
  plan->plan_tensor(terms);
  plan->plan_others(terms);
  plan_ = plan;
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

namespace {

// Sums up the outputs of a tile, then hands each to `put`.
template <class Plan, class Put>
void sum_tile(const Plan& plan, const std::vector<double>& coefficients, std::size_t outputs, const Lanes* x,
              const Lanes* rows, Put put) {
  const std::size_t count = plan.place.size();
  std::array<Lanes, together> part;
  if (outputs == 1) {  // two sums, so that additions need not wait for each other
    Lanes even = all_lanes(0), odd = all_lanes(0);
    for (std::size_t from = 0; from < count; from += together) {
      const std::size_t to = std::min(count, from + together);
      plan.evaluate(x, rows, from, to, part.data());
      const double* c = coefficients.data() + from;
      std::size_t t = 0;
      for (; t + 2 <= to - from; t += 2) {
        even = fused(part[t], c[t], even);
        odd = fused(part[t + 1], c[t + 1], odd);
      }
      if (t < to - from) even = fused(part[t], c[t], even);
    }
    put(0, even + odd);
    return;
  }
  std::array<Lanes, most_outputs> sums;
  std::fill_n(sums.begin(), outputs, all_lanes(0));
  for (std::size_t from = 0; from < count; from += together) {
    const std::size_t to = std::min(count, from + together);
    plan.evaluate(x, rows, from, to, part.data());
    for (std::size_t o = 0; o < outputs; ++o) {
      const double* c = coefficients.data() + o * count + from;
      Lanes sum = sums[o];
      for (std::size_t t = 0; t < to - from; ++t) sum = fused(part[t], c[t], sum);
      sums[o] = sum;
    }
  }
  for (std::size_t o = 0; o < outputs; ++o) put(o, sums[o]);
}

}  // namespace

void TermFunction::operator()(MatrixView<const double> states, MatrixView<double> out) const {
  plan_->for_each_tile(states, [&](std::size_t begin, std::size_t count, const Lanes* x, const Lanes* rows) {
    sum_tile(*plan_, coefficients_, outputs_, x, rows,
             [&](std::size_t o, Lanes value) { store_lanes(value, &out(o, begin), count); });
  });
}

void TermFunction::act(MatrixView<const double> states, bool squash, std::span<const double> centre,
                       std::span<const double> scale, MatrixView<double> out) const {
  plan_->for_each_tile(states, [&](std::size_t begin, std::size_t count, const Lanes* x, const Lanes* rows) {
    sum_tile(*plan_, coefficients_, outputs_, x, rows, [&](std::size_t o, Lanes value) {
      store_lanes(fused(squash ? tanh_lanes(value) : value, scale[o], centre[o]), &out(o, begin), count);
    });
  });
}

void TermFunction::features(MatrixView<const double> states, MatrixView<double> out) const {
  std::array<Lanes, together> part;
  plan_->for_each_tile(states, [&](std::size_t begin, std::size_t count, const Lanes* x, const Lanes* rows) {
    for (std::size_t from = 0; from < size(); from += together) {
      const std::size_t to = std::min(size(), from + together);
      plan_->evaluate(x, rows, from, to, part.data());
      for (std::size_t t = from; t < to; ++t)
        store_lanes(part[t - from] * plan_->norm[t], &out(plan_->place[t], begin), count);
    }
  });
}

}  // namespace mercer

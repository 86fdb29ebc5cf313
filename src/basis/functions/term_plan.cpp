#include "basis/functions/term_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "basis/functions/family_rows.hpp"
#include "basis/functions/index_limits.hpp"
#include "core/number_codes.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

void plan_axes(TermPlan& plan, const Coordinates& coordinates) {
  for (const Coordinate& axis : coordinates) {
    TermPlan::AxisPlan made{(axis.range.low + axis.range.high) / 2, 2 / axis.range.width(), axis.periodic, {}, 1, 0};
    double before = -1;
    for (std::size_t j = 0; !axis.knots.empty() && j <= axis.knots.size(); ++j) {
      const double next = j == axis.knots.size() ? 1 : -1 + axis.knots[j] / 128.0;
      made.pieces.push_back({before, 1 / (next - before)});
      before = next;
    }
    plan.axes.push_back(std::move(made));
  }
}

// The rows that a term multiplies, rising.
void add_product(TermPlan& plan, const std::vector<std::uint16_t>& rows) {
  if (rows.empty()) ++plan.constants;
  if (rows.size() == 1) plan.singles.push_back(rows[0]);
  if (rows.size() == 2) plan.pairs.push_back(rows[0] | std::uint32_t{rows[1]} << 16);
  if (rows.size() == 3) {
    plan.triples.push_back(rows[0] | std::uint64_t{rows[1]} << 16 | std::uint64_t{rows[2]} << 32);
  }
  if (rows.size() <= 3) return;
  plan.longer_begin.push_back(static_cast<std::uint32_t>(plan.factors.size()));
  plan.factors.insert(plan.factors.end(), rows.begin(), rows.end());
}

void plan_tensor(TermPlan& plan, const Terms& terms) {
  plan.family = terms.tensor.family;
  plan.tensors = terms.tensor.kept.size();
  if (plan.tensors == 0) return;
  const std::vector<std::uint8_t> all = list_indices(terms.tensor.set);
  const auto index = [&](std::size_t term) { return all.data() + terms.tensor.kept[term] * plan.dimensions(); };
  const auto length = [&](std::size_t term) {
    return std::count_if(index(term), index(term) + plan.dimensions(), [](std::uint8_t k) { return k > 0; });
  };
  std::stable_sort(plan.place.begin(), plan.place.begin() + static_cast<std::ptrdiff_t>(plan.tensors),
                   [&](std::size_t a, std::size_t b) { return length(a) < length(b); });
  for (std::size_t t = 0; t < plan.tensors; ++t) {
    for (std::size_t d = 0; d < plan.dimensions(); ++d)
      plan.axes[d].rows = std::max<std::size_t>(plan.axes[d].rows, index(t)[d] + 1U);
  }
  std::size_t rows = 0;
  for (TermPlan::AxisPlan& axis : plan.axes) {
    axis.first = rows;
    rows += axis.rows;
  }
  if (rows > most_rows) {
    throw Error(ErrorCode::too_large,
                fmt::format("products of {} one-dimensional functions; legal: up to {}", rows, most_rows),
                "Lower the degree (--degree)");
  }
  for (std::size_t t = 0; t < plan.tensors; ++t) {
    const std::uint8_t* k = index(plan.place[t]);
    std::vector<std::uint16_t> factors;
    plan.norm[t] = 1;
    for (std::size_t d = 0; d < plan.dimensions(); ++d) {
      if (k[d] == 0) continue;
      plan.norm[t] *= family_norm(plan.family, plan.axes[d].periodic, k[d]);
      factors.push_back(static_cast<std::uint16_t>(plan.axes[d].first + k[d]));
    }
    add_product(plan, factors);
  }
  plan.longer_begin.push_back(static_cast<std::uint32_t>(plan.factors.size()));
}

void plan_others(TermPlan& plan, const Terms& terms) {
  const std::size_t d = plan.dimensions();
  plan.kernel = terms.radials.kernel;
  plan.waves.resize(terms.waves.kept.size() * (d + 1));
  for (std::size_t i = 0; i < terms.waves.kept.size(); ++i) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed, terms.waves.kept[i],
                   std::span(plan.waves).subspan(i * (d + 1), d + 1));
    plan.norm[plan.tensors + i] = std::numbers::sqrt2;
  }
  for (std::size_t i = 0; i < terms.ridges.numbers.size(); ++i)
    plan.ridges.push_back(terms.ridges.numbers[i] * ridge_unit(terms.ridges, i / (d + 1)));
  const double cells = std::ldexp(1.0, static_cast<int>(terms.radials.bits));
  for (const std::uint16_t cell : terms.radials.centres) plan.centres.push_back(-1 + 2 * (cell + 0.5) / cells);
  for (std::size_t i = 0; i < terms.radial_count(); ++i) {
    const int width = terms.radials.widths.empty() ? 0 : terms.radials.widths[i];
    plan.inverse_width.push_back(std::ldexp(1 / from_log_scale(terms.radials.length), width));
  }
}

}  // namespace

TermPlan make_plan(const Terms& terms, const Coordinates& coordinates) {
  check_terms(terms);
  const std::size_t count = terms.size();
  if (coordinates.size() != terms.dimensions() || coordinates.size() > most_coordinates || count == 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} terms of {} dimensions for {} axes", count, terms.dimensions(), coordinates.size()),
                fmt::format("Give at least one term, and 1 to {} axes", most_coordinates));
  }
  TermPlan plan;
  plan.place.resize(count);
  std::iota(plan.place.begin(), plan.place.end(), 0);
  plan.norm.assign(count, 1);
  plan_axes(plan, coordinates);
  plan_tensor(plan, terms);
  plan.plain_chebyshev = plan.tensors > 0 && plan.family == Family::chebyshev &&
                         std::ranges::none_of(plan.axes, [](const TermPlan::AxisPlan& axis) {
                           return axis.periodic || !axis.pieces.empty();
                         });
  plan_others(plan, terms);
  return plan;
}

void evaluate_family(Family family, bool periodic, double x, std::span<double> out) {
  fill_family(family, periodic, x, out.size(), out.data());
  for (std::size_t k = 0; k < out.size(); ++k) out[k] *= family_norm(family, periodic, k);
}

}  // namespace mercer

#include "export/c/fixed_plan.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr int most_q = 20, least_q = 10;

std::int32_t fixed(double value, int q) { return static_cast<std::int32_t>(std::llround(std::ldexp(value, q))); }

// The largest value of each row, found on a grid finer than any function's waves.
std::vector<double> row_bounds(const FlatTerms& flat) {
  std::vector<double> bounds{1};
  for (const FlatTerms::Axis& axis : flat.axes) {
    std::vector<double> own(axis.functions, 1.01);
    if (!axis.periodic && flat.family == Family::hermite) {
      for (int i = 0; i <= 4096; ++i) {
        const double x = 3 * (-1 + i / 2048.0);
        double before = 1, now = x;
        for (std::size_t k = 0; k < own.size(); ++k) {
          own[k] = std::max(own[k], 1.02 * std::abs(now));
          const auto [a, b] = recurrence(flat.family, k + 2);
          const double next = a * x * now - b * before;
          before = now, now = next;
        }
      }
    }
    bounds.insert(bounds.end(), own.begin(), own.end());
  }
  return bounds;
}

struct Bounds {
  double most = 4;            // of anything that has Qq
  std::vector<double> terms;  // of each term
};

Bounds bound(const FlatTerms& flat) {
  const std::vector<double> rows = row_bounds(flat);
  Bounds made;
  for (const double row : rows) made.most = std::max(made.most, 4 * row);  // room for a_k x f_{k-1}
  for (std::size_t j = 0; j < flat.products; ++j) {
    double product = 1;
    for (std::size_t f = 0; f < flat.factors_each; ++f) product *= rows[flat.factors[j * flat.factors_each + f]];
    made.terms.push_back(product);
    made.most = std::max(made.most, product);
  }
  made.terms.resize(flat.terms(), 1.01);
  for (std::size_t o = 0; o < flat.outputs; ++o) {
    double sum = 0;
    for (std::size_t t = 0; t < flat.terms(); ++t)
      sum += std::abs(flat.coefficients[t * flat.outputs + o]) * made.terms[t];
    made.most = std::max(made.most, 1.01 * sum);
  }
  return made;
}

// A number of which all are small multiples, where coefficients were stored that way; 0 otherwise.
double common_unit(const std::vector<double>& numbers, double most) {
  double least = most;
  for (const double number : numbers) least = number != 0 ? std::min(least, std::abs(number)) : least;
  for (int m = 1; m <= 127; ++m) {
    const double unit = least / m;
    if (most / unit > 127.4) return 0;
    if (std::ranges::all_of(numbers, [&](double n) { return std::abs(n / unit - std::round(n / unit)) < 1e-5; }))
      return unit;
  }
  return 0;
}

void plan_coefficients(const FlatTerms& flat, const Bounds& bounds, FixedPlan& plan) {
  std::vector<double> units(flat.outputs);
  plan.small = true;
  std::vector<double> most(flat.outputs);
  for (std::size_t o = 0; o < flat.outputs; ++o) {
    std::vector<double> own;
    for (std::size_t t = 0; t < flat.terms(); ++t) own.push_back(flat.coefficients[t * flat.outputs + o]);
    for (const double number : own) most[o] = std::max(most[o], std::abs(number));
    if (most[o] == 0) most[o] = 1;
    units[o] = common_unit(own, most[o]);
    plan.small = plan.small && units[o] > 0;
  }
  plan.coefficients.resize(flat.coefficients.size());
  double sum_most = 0;
  for (std::size_t o = 0; o < flat.outputs; ++o) {
    if (!plan.small) units[o] = most[o] / 32767;
    double sum = 0;
    for (std::size_t t = 0; t < flat.terms(); ++t) {
      const std::size_t at = t * flat.outputs + o;
      plan.coefficients[at] = static_cast<std::int16_t>(std::lround(flat.coefficients[at] / units[o]));
      sum += std::abs(plan.coefficients[at]) * bounds.terms[t];
    }
    sum_most = std::max(sum_most, std::ldexp(1.01 * sum, plan.q));
  }
  while (std::ldexp(sum_most, -plan.sum_shift) >= 0x1p31) ++plan.sum_shift;
  for (const double unit : units) plan.output_scale.push_back(ratio32(std::ldexp(unit, plan.sum_shift)));
}

void plan_outside(const ContinuousController& controller, FixedPlan& plan) {
  for (const FlatTerms::Axis& axis : controller.flat.axes) {
    FixedPlan::Axis made;
    made.q = fixed_point_q(axis.range);
    made.low = fixed(axis.range.low, made.q);
    made.high = fixed(axis.range.high, made.q);
    made.to_unit = ratio32(std::ldexp(1 / (static_cast<double>(made.high) - made.low), plan.q));
    plan.axes.push_back(made);
  }
  const Contract& contract = controller.outside.contract;
  for (std::size_t a = 0; a < controller.outside.actions(); ++a) {
    FixedPlan::Action made;
    if (!controller.discrete()) {
      const Range clip = contract.clip[a];
      if (!std::isfinite(clip.low) || !std::isfinite(clip.high)) {
        throw Error(ErrorCode::out_of_range,
                    fmt::format("action '{}' has no range, which fixed point needs", contract.action.axes[a].name),
                    "Export with --numbers float");
      }
      made.q = fixed_point_q({std::min(clip.low, contract.centre[a] - std::abs(contract.scale[a])),
                              std::max(clip.high, contract.centre[a] + std::abs(contract.scale[a]))});
      made.centre = fixed(contract.centre[a], made.q);
      made.scale = fixed(contract.scale[a], made.q);
      made.low = fixed(clip.low, made.q);
      made.high = fixed(clip.high, made.q);
    }
    made.safe = fixed(controller.outside.safe[a], made.q);
    plan.actions.push_back(made);
  }
}

}  // namespace

int fixed_point_q(const Range& range) {
  const double most = std::max(std::abs(range.low), std::abs(range.high));
  const int wanted = static_cast<int>(std::ceil(20 - std::log2(range.width())));
  return std::min(wanted, static_cast<int>(std::floor(28 - std::log2(most))));
}

std::int64_t q30(double value) { return std::llround(std::ldexp(value, 30)); }

Ratio32 ratio32(double factor) {
  int exponent = 0;
  const double mantissa = std::frexp(factor, &exponent);  // [0.5, 1)
  Ratio32 made{static_cast<std::int32_t>(std::llround(std::ldexp(mantissa, 27))), 27 - exponent};
  if (made.s < 0 || made.s > 62) {
    throw Error(ErrorCode::out_of_range, fmt::format("a factor of {} does not fit fixed point", factor),
                "Export with --numbers float");
  }
  return made;
}

FixedPlan plan_fixed(const ContinuousController& controller) {
  const FlatTerms& flat = controller.flat;
  const Bounds bounds = bound(flat);
  FixedPlan plan;
  plan.q = most_q;
  while (std::ldexp(bounds.most, plan.q) >= 0x1p30) --plan.q;
  if (plan.q < least_q) {
    throw Error(ErrorCode::out_of_range,
                fmt::format("terms reach {:.3g}, which leaves {} bits after the point; legal: from {} on", bounds.most,
                            plan.q, least_q),
                "Export with --numbers float");
  }
  plan_outside(controller, plan);
  for (std::size_t k = 0; k < flat.most_functions(false); ++k) {
    const auto [a, b] = recurrence(flat.family, k + 2);
    plan.steps.insert(plan.steps.end(), {fixed(a, plan.q), fixed(b, plan.q)});
  }
  double heaviest = 1;
  for (const double w : flat.waves) heaviest = std::max(heaviest, std::abs(w));
  plan.wave_q = static_cast<int>(std::floor(30 - std::log2(heaviest)));
  for (std::size_t i = 0; i < flat.waves.size(); ++i) {
    const bool bias = i % (flat.dimensions() + 1) == flat.dimensions();
    plan.waves.push_back(fixed(flat.waves[i], bias ? plan.q : plan.wave_q));
  }
  plan.ridge_unit = ratio32(flat.ridge_unit);
  for (const double inverse : flat.inverse_squares) plan.inverse_squares.push_back(ratio32(inverse));
  plan_coefficients(flat, bounds, plan);
  return plan;
}

}  // namespace mercer

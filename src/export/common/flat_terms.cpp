#include "export/common/flat_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "basis/functions/family_rows.hpp"
#include "core/number_codes.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

void flatten_products(const Terms& terms, FlatTerms& flat, std::vector<double>& norm) {
  const std::size_t d = terms.dimensions();
  flat.family = terms.tensor.family;
  flat.products = terms.tensor.kept.size();
  if (flat.products == 0) return;
  const std::vector<std::uint8_t> all = list_indices(terms.tensor.set);
  const auto index = [&](std::size_t t, std::size_t i) -> std::size_t { return all[terms.tensor.kept[t] * d + i]; };
  for (std::size_t t = 0; t < flat.products; ++t) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < d; ++i) {
      flat.axes[i].functions = std::max(flat.axes[i].functions, index(t, i));
      length += index(t, i) > 0 ? 1 : 0;
    }
    flat.factors_each = std::max(flat.factors_each, length);
  }
  std::vector<std::size_t> first;
  for (const FlatTerms::Axis& axis : flat.axes) {
    first.push_back(flat.rows);
    flat.rows += axis.functions;
  }
  for (std::size_t t = 0; t < flat.products; ++t) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t k = index(t, i);
      if (k == 0) continue;
      if (flat.axes[i].periodic || flat.family != Family::hermite)
        norm[t] *= family_norm(flat.family, flat.axes[i].periodic, k);
      flat.factors.push_back(static_cast<std::uint16_t>(first[i] + k - 1));
      ++length;
    }
    flat.factors.insert(flat.factors.end(), flat.factors_each - length, 0);
  }
}

void flatten_others(const Terms& terms, FlatTerms& flat, std::vector<double>& norm) {
  const std::size_t d = terms.dimensions();
  std::vector<double> wave(d + 1);
  for (std::size_t i = 0; i < terms.waves.kept.size(); ++i) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed, terms.waves.kept[i], wave);
    for (double& number : wave) number /= 2 * std::numbers::pi;
    wave[d] += 0.25;  // a cosine is a sine a quarter of a turn later
    wave[d] -= std::floor(wave[d]);
    flat.waves.insert(flat.waves.end(), wave.begin(), wave.end());
    norm[flat.products + i] = std::numbers::sqrt2;
  }
  flat.ridges = terms.ridges.numbers;
  flat.ridge_unit = from_log_scale(terms.ridges.unit);
  flat.ridge_halvings = terms.ridges.halvings;
  flat.kernel = terms.radials.kernel;
  flat.centre_bits = terms.radials.bits;
  flat.centres = terms.radials.centres;
  flat.widths = terms.radials.widths;
  for (int w = 0; w < 1 << terms.radials.width_bits; ++w) {
    flat.inverse_squares.push_back(std::pow(std::ldexp(1 / from_log_scale(terms.radials.length), w), 2));
  }
}

}  // namespace

bool FlatTerms::any_periodic() const { return std::ranges::any_of(axes, &Axis::periodic); }

std::size_t FlatTerms::most_functions(bool periodic) const {
  std::size_t most = 0;
  for (const Axis& axis : axes) most = axis.periodic == periodic ? std::max(most, axis.functions) : most;
  return most;
}

FlatTerms flatten(const ContinuousCode& code) {
  for (const double number : code.coefficients) {
    if (std::isfinite(number)) continue;
    throw Error(ErrorCode::not_finite, fmt::format("a coefficient of the embedding is {}", number),
                "Make the embedding again: such a controller must not run anywhere");
  }
  FlatTerms flat;
  for (const Coordinate& axis : code.coordinates) {
    flat.axes.push_back({axis.range, axis.periodic, {}, 0});
    for (const std::uint8_t knot : axis.knots) flat.axes.back().knots.push_back(-1 + knot / 128.0);
  }
  const std::size_t count = code.terms.size();
  std::vector<double> norm(count, 1.0);
  flatten_products(code.terms, flat, norm);
  flatten_others(code.terms, flat, norm);
  flat.outputs = code.outputs;
  for (std::size_t t = 0; t < count; ++t) {
    for (std::size_t o = 0; o < code.outputs; ++o)
      flat.coefficients.push_back(code.coefficients[o * count + t] * norm[t]);
  }
  return flat;
}

Recurrence recurrence(Family family, std::size_t k) {
  const auto n = static_cast<double>(k);
  if (family == Family::legendre) return {(2 * n - 1) / n, (n - 1) / n};
  if (family == Family::hermite) return {1 / std::sqrt(n), std::sqrt((n - 1) / n)};
  return {2, 1};
}

}  // namespace mercer

#include "embed/formula/plain_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "basis/functions/family_rows.hpp"
#include "basis/functions/plain_functions.hpp"
#include "core/number_codes.hpp"

namespace mercer {

PlainTerms plain_terms(const Terms& terms) {
  const std::size_t d = terms.dimensions();
  const std::vector<std::size_t> parts = terms.parts();
  PlainTerms plain;
  if (!terms.tensor.kept.empty()) plain.indices = list_indices(terms.tensor.set);
  plain.norm.assign(terms.size(), 1);
  plain.value.assign(terms.size(), 1);
  plain.slope.assign(terms.size() * d, 0);
  const Family family = terms.tensor.family;
  for (std::size_t t = 0; t < parts[1]; ++t) {
    double* slope = plain.slope.data() + t * d;
    for (std::size_t i = 0; i < d; ++i) slope[i] = 1;
    for (std::size_t i = 0; i < d; ++i) {
      const std::size_t k = plain.indices[terms.tensor.kept[t] * d + i];
      const bool periodic = terms.tensor.set.periodic[i] != 0;
      PlainSize size = plain_size(family, periodic, k);
      plain.norm[t] *= family_norm(family, periodic, k);
      if (k > 0 && is_trigonometric(family, periodic)) {
        plain.norm[t] *= plain_wave(periodic, k).sign;
      } else if (k == 1) {  // the coordinate itself
        plain.norm[t] *= polynomial_reach(family);
        size = {1, 1};
      }
      plain.value[t] *= size.value;
      for (std::size_t j = 0; j < d; ++j) slope[j] *= i == j ? size.slope : size.value;
    }
  }
  std::vector<double> w(d + 1);
  for (std::size_t t = parts[1]; t < parts[2]; ++t) {
    random_feature(terms.waves.kernel, from_log_scale(terms.waves.length), terms.waves.seed,
                   terms.waves.kept[t - parts[1]], w);
    plain.norm[t] = std::numbers::sqrt2;
    for (std::size_t i = 0; i < d; ++i) plain.slope[t * d + i] = std::abs(w[i]);
  }
  for (std::size_t t = parts[2]; t < parts[3]; ++t) {
    const std::size_t ridge = t - parts[2];
    for (std::size_t i = 0; i < d; ++i) {
      const int number = terms.ridges.numbers[ridge * (d + 1) + i];
      plain.slope[t * d + i] = std::abs(number) * ridge_unit(terms.ridges, ridge);
    }
  }
  for (std::size_t t = parts[3]; t < parts[4]; ++t) {
    const int width = terms.radials.widths.empty() ? 0 : terms.radials.widths[t - parts[3]];
    for (std::size_t i = 0; i < d; ++i) {  // the steepest kernel has slope 0.65 / width
      plain.slope[t * d + i] = 0.7 / std::ldexp(from_log_scale(terms.radials.length), -width);
    }
  }
  return plain;
}

FormulaErrors formula_errors(const ContinuousCode& code, const PlainTerms& plain) {
  double unit = 1;
  if (code.head == Head::logits) {
    unit = 0;
    const std::size_t count = plain.norm.size();
    for (std::size_t o = 0; o < code.outputs; ++o) {
      double sum = 0;
      for (std::size_t t = 0; t < count; ++t)
        sum += std::abs(code.coefficients[o * count + t] * plain.norm[t]) * plain.value[t];
      unit = std::max(unit, sum);
    }
    if (unit == 0) unit = 1;
  }
  return {1e-6 * unit, 0.25e-6 * unit, 0.25e-6 * unit};
}

}  // namespace mercer

#include <algorithm>
#include <cmath>

#include "export/c/functions.hpp"
#include "export/c/machine.hpp"

namespace mercer {
namespace {

float sine(float t) {
  t -= static_cast<float>(static_cast<std::int32_t>(t + (t < 0 ? -0.5F : 0.5F)));
  float s = 4 * t;
  s = s > 1 ? 2 - s : s < -1 ? -2 - s : s;
  float sum = 0;
  for (std::size_t i = sine_polynomial.size(); i-- > 0;) sum = static_cast<float>(sine_polynomial[i]) + s * s * sum;
  return s * sum;
}

float power(float t) {
  t = std::clamp(t, -126.0F, 126.0F);
  const float n = std::floor(t), f = t - n;
  float sum = 0;
  for (std::size_t i = power_polynomial.size(); i-- > 0;) sum = static_cast<float>(power_polynomial[i]) + f * sum;
  return std::ldexp(sum, static_cast<int>(n));
}

float exponential(CMath math, float x) { return math == CMath::libm ? std::exp(x) : power(1.44269504F * x); }

float bend(CMath math, float u) {
  if (math == CMath::libm) return std::tanh(u);
  const float e = power(-2.88539008F * std::abs(u)), t = (1 - e) / (1 + e);
  return u < 0 ? -t : t;
}

float coordinate(const FlatTerms::Axis& axis, float value) {
  const auto low = static_cast<float>(axis.range.low), high = static_cast<float>(axis.range.high);
  if (!axis.periodic) value = std::clamp(value, low, high);
  float x = (value + value - (low + high)) / (high - low);
  if (axis.periodic) {
    if (!(x > -2e6F && x < 2e6F)) x = 0;
    if (x < -1.000001F || x > 1.000001F)
      x -= 2 * static_cast<float>(static_cast<std::int32_t>(0.5F * x + (x < 0 ? -0.5F : 0.5F)));
  }
  if (axis.knots.empty()) return x;
  float y = -1;
  for (std::size_t j = 0; j <= axis.knots.size(); ++j) {
    const double from = j == 0 ? -1 : axis.knots[j - 1], to = j == axis.knots.size() ? 1 : axis.knots[j];
    const float part = (x - static_cast<float>(from)) * static_cast<float>(1 / (to - from));
    y += std::clamp(part, 0.0F, 1.0F) * static_cast<float>(2.0 / static_cast<double>(axis.knots.size() + 1));
  }
  return y;
}

void fill_rows(const FlatTerms& flat, std::size_t d, float x, float* r) {
  const FlatTerms::Axis& axis = flat.axes[d];
  if (axis.periodic) {
    const float c = sine(0.5F * x + 0.25F), s = sine(0.5F * x);
    float cosine = c, cosine_before = 1, sines = s, sines_before = 0;
    for (std::size_t k = 0; k < axis.functions; ++k) {
      *r++ = k % 2 == 0 ? cosine : sines;
      if (k % 2 == 0) continue;
      const float next_cosine = 2 * c * cosine - cosine_before, next_sine = 2 * c * sines - sines_before;
      cosine_before = cosine, cosine = next_cosine, sines_before = sines, sines = next_sine;
    }
    return;
  }
  if (flat.family == Family::cosine) x = -sine(0.25F * x);
  if (flat.family == Family::hermite) x *= 3;
  float before = 1, now = x;
  for (std::size_t k = 0; k < axis.functions; ++k) {
    *r++ = now;
    const auto [a, b] = recurrence(flat.family, k + 2);
    const float next = static_cast<float>(a) * x * now - static_cast<float>(b) * before;
    before = now, now = next;
  }
}

float rbf(const FlatTerms& flat, CMath math, std::size_t j, std::span<const float> x) {
  const std::size_t d = flat.dimensions();
  const auto step = static_cast<float>(std::ldexp(2.0, -static_cast<int>(flat.centre_bits)));
  float square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const float away = x[i] - (step * static_cast<float>(flat.centres[j * d + i]) + (0.5F * step - 1));
    square += away * away;
  }
  square *= static_cast<float>(flat.inverse_squares[flat.widths.empty() ? 0 : flat.widths[j]]);
  if (flat.kernel == Kernel::gaussian) return exponential(math, -0.5F * square);
  const float root = std::sqrt((flat.kernel == Kernel::matern32 ? 3.0F : 5.0F) * square);
  const float front = flat.kernel == Kernel::matern32 ? 1 + root : 1 + root + 1.66666667F * square;
  return front * exponential(math, -root);
}

}  // namespace

float float_sine(float t) { return sine(t); }
float float_exponential(CMath math, float x) { return exponential(math, x); }

void float_outputs(const ContinuousController& controller, CMath math, std::span<const float> obs,
                   std::span<float> out) {
  const FlatTerms& flat = controller.flat;
  const std::size_t d = flat.dimensions();
  std::vector<float> x(d), row(flat.rows, 1);
  std::size_t first = 1;
  for (std::size_t i = 0; i < d; ++i) {
    x[i] = coordinate(flat.axes[i], obs[i]);
    fill_rows(flat, i, x[i], row.data() + first);
    first += flat.axes[i].functions;
  }
  std::ranges::fill(out, 0.0F);
  std::size_t term = 0;
  const auto add = [&](float value) {
    for (std::size_t o = 0; o < flat.outputs; ++o)
      out[o] += static_cast<float>(flat.coefficients[term * flat.outputs + o]) * value;
    ++term;
  };
  const auto affine = [&](const auto* w) {
    float sum = static_cast<float>(w[d]);
    for (std::size_t i = 0; i < d; ++i) sum += static_cast<float>(w[i]) * x[i];
    return sum;
  };
  for (std::size_t j = 0; j < flat.products; ++j) {
    float product = 1;
    for (std::size_t f = 0; f < flat.factors_each; ++f) product *= row[flat.factors[j * flat.factors_each + f]];
    add(product);
  }
  for (std::size_t j = 0; j < flat.wave_count(); ++j) add(sine(affine(&flat.waves[j * (d + 1)])));
  for (std::size_t j = 0; j < flat.ridge_count(); ++j) {
    const float value = static_cast<float>(flat.ridge_unit) * affine(&flat.ridges[j * (d + 1)]);
    add(bend(math, value / static_cast<float>(1 << flat.ridge_halving(j))));
  }
  for (std::size_t j = 0; j < flat.rbf_count(); ++j) add(rbf(flat, math, j, x));
}

void float_act(const ContinuousController& controller, CMath math, std::span<const float> obs,
               std::span<float> action) {
  std::vector<float> out(controller.flat.outputs);
  float_outputs(controller, math, obs, out);
  if (controller.discrete()) {
    action[0] = static_cast<float>(std::ranges::max_element(out) - out.begin());
    return;
  }
  const Contract& contract = controller.outside.contract;
  for (std::size_t a = 0; a < action.size(); ++a) {
    const float u = controller.squash ? bend(math, out[a]) : out[a];
    action[a] = static_cast<float>(contract.centre[a]) + static_cast<float>(contract.scale[a]) * u;
    action[a] =
        std::clamp(action[a], static_cast<float>(contract.clip[a].low), static_cast<float>(contract.clip[a].high));
  }
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>

#include "export/c/functions.hpp"
#include "export/c/machine.hpp"

namespace mercer {
namespace {

// Single precision has the polynomials of the exported C where no library is used; double precision the library's own
// functions, which exported JavaScript calls.
template <class Real>
Real sine(Real t) {
  if constexpr (std::is_same_v<Real, double>) return std::sin(2 * std::numbers::pi * t);
  t -= static_cast<Real>(static_cast<std::int32_t>(t + (t < 0 ? Real(-0.5) : Real(0.5))));
  Real s = 4 * t;
  s = s > 1 ? 2 - s : s < -1 ? -2 - s : s;
  Real sum = 0;
  for (std::size_t i = sine_polynomial.size(); i-- > 0;) sum = static_cast<Real>(sine_polynomial[i]) + s * s * sum;
  return s * sum;
}

float power(float t) {
  t = std::clamp(t, -126.0F, 126.0F);
  const float n = std::floor(t), f = t - n;
  float sum = 0;
  for (std::size_t i = power_polynomial.size(); i-- > 0;) sum = static_cast<float>(power_polynomial[i]) + f * sum;
  return std::ldexp(sum, static_cast<int>(n));
}

template <class Real>
Real exponential(CMath math, Real x) {
  if (std::is_same_v<Real, double> || math == CMath::libm) return std::exp(x);
  return power(1.44269504F * static_cast<float>(x));
}

template <class Real>
Real bend(CMath math, Real u) {
  if (std::is_same_v<Real, double> || math == CMath::libm) return std::tanh(u);
  const float e = power(-2.88539008F * std::abs(static_cast<float>(u))), t = (1 - e) / (1 + e);
  return u < 0 ? -t : t;
}

template <class Real>
Real coordinate(const FlatTerms::Axis& axis, Real value) {
  const auto low = static_cast<Real>(axis.range.low), high = static_cast<Real>(axis.range.high);
  if (!axis.periodic) value = std::clamp(value, low, high);
  Real x = (value + value - (low + high)) / (high - low);
  if (axis.periodic) {
    if (!(x > Real(-2e6) && x < Real(2e6))) x = 0;
    if (x < Real(-1.000001) || x > Real(1.000001))
      x -= 2 * static_cast<Real>(static_cast<std::int32_t>(Real(0.5) * x + (x < 0 ? Real(-0.5) : Real(0.5))));
  }
  if (axis.knots.empty()) return x;
  Real y = -1;
  for (std::size_t j = 0; j <= axis.knots.size(); ++j) {
    const double from = j == 0 ? -1 : axis.knots[j - 1], to = j == axis.knots.size() ? 1 : axis.knots[j];
    const Real part = (x - static_cast<Real>(from)) * static_cast<Real>(1 / (to - from));
    y += std::clamp(part, Real(0), Real(1)) * static_cast<Real>(2.0 / static_cast<double>(axis.knots.size() + 1));
  }
  return y;
}

template <class Real>
void fill_rows(const FlatTerms& flat, std::size_t d, Real x, Real* r) {
  const FlatTerms::Axis& axis = flat.axes[d];
  if (axis.periodic) {
    const Real c = sine(Real(0.5) * x + Real(0.25)), s = sine(Real(0.5) * x);
    Real cosine = c, cosine_before = 1, sines = s, sines_before = 0;
    for (std::size_t k = 0; k < axis.functions; ++k) {
      *r++ = k % 2 == 0 ? cosine : sines;
      if (k % 2 == 0) continue;
      const Real next_cosine = 2 * c * cosine - cosine_before, next_sine = 2 * c * sines - sines_before;
      cosine_before = cosine, cosine = next_cosine, sines_before = sines, sines = next_sine;
    }
    return;
  }
  if (flat.family == Family::cosine) x = -sine(Real(0.25) * x);
  if (flat.family == Family::hermite) x *= 3;
  Real before = 1, now = x;
  for (std::size_t k = 0; k < axis.functions; ++k) {
    *r++ = now;
    const auto [a, b] = recurrence(flat.family, k + 2);
    const Real next = static_cast<Real>(a) * x * now - static_cast<Real>(b) * before;
    before = now, now = next;
  }
}

template <class Real>
Real rbf(const FlatTerms& flat, CMath math, std::size_t j, std::span<const Real> x) {
  const std::size_t d = flat.dimensions();
  const auto step = static_cast<Real>(std::ldexp(2.0, -static_cast<int>(flat.centre_bits)));
  Real square = 0;
  for (std::size_t i = 0; i < d; ++i) {
    const Real away = x[i] - (step * static_cast<Real>(flat.centres[j * d + i]) + (Real(0.5) * step - 1));
    square += away * away;
  }
  square *= static_cast<Real>(flat.inverse_squares[flat.widths.empty() ? 0 : flat.widths[j]]);
  if (flat.kernel == Kernel::gaussian) return exponential(math, Real(-0.5) * square);
  const Real root = std::sqrt((flat.kernel == Kernel::matern32 ? Real(3) : Real(5)) * square);
  const Real front = flat.kernel == Kernel::matern32 ? 1 + root : 1 + root + static_cast<Real>(5.0 / 3) * square;
  return front * exponential(math, -root);
}

template <class Real>
void outputs(const ContinuousController& controller, CMath math, std::span<const Real> obs, std::span<Real> out) {
  const FlatTerms& flat = controller.flat;
  const std::size_t d = flat.dimensions();
  std::vector<Real> x(d), row(flat.rows, 1);
  std::size_t first = 1;
  for (std::size_t i = 0; i < d; ++i) {
    x[i] = coordinate(flat.axes[i], obs[i]);
    fill_rows(flat, i, x[i], row.data() + first);
    first += flat.axes[i].functions;
  }
  std::ranges::fill(out, Real(0));
  std::size_t term = 0;
  const auto add = [&](Real value) {
    for (std::size_t o = 0; o < flat.outputs; ++o)
      out[o] += static_cast<Real>(flat.coefficients[term * flat.outputs + o]) * value;
    ++term;
  };
  const auto affine = [&](const auto* w) {
    Real sum = static_cast<Real>(w[d]);
    for (std::size_t i = 0; i < d; ++i) sum += static_cast<Real>(w[i]) * x[i];
    return sum;
  };
  for (std::size_t j = 0; j < flat.products; ++j) {
    Real product = 1;
    for (std::size_t f = 0; f < flat.factors_each; ++f) product *= row[flat.factors[j * flat.factors_each + f]];
    add(product);
  }
  for (std::size_t j = 0; j < flat.wave_count(); ++j) add(sine(affine(&flat.waves[j * (d + 1)])));
  for (std::size_t j = 0; j < flat.ridge_count(); ++j) {
    const Real value = static_cast<Real>(flat.ridge_unit) * affine(&flat.ridges[j * (d + 1)]);
    add(bend(math, value / static_cast<Real>(1 << flat.ridge_halving(j))));
  }
  for (std::size_t j = 0; j < flat.rbf_count(); ++j) add(rbf<Real>(flat, math, j, x));
}

template <class Real>
void act(const ContinuousController& controller, CMath math, std::span<const Real> obs, std::span<Real> action) {
  std::vector<Real> out(controller.flat.outputs);
  outputs<Real>(controller, math, obs, out);
  if (controller.discrete()) {
    action[0] = static_cast<Real>(std::ranges::max_element(out) - out.begin());
    return;
  }
  const Contract& contract = controller.outside.contract;
  for (std::size_t a = 0; a < action.size(); ++a) {
    const Real u = controller.squash ? bend(math, out[a]) : out[a];
    action[a] = static_cast<Real>(contract.centre[a]) + static_cast<Real>(contract.scale[a]) * u;
    action[a] =
        std::clamp(action[a], static_cast<Real>(contract.clip[a].low), static_cast<Real>(contract.clip[a].high));
  }
}

}  // namespace

float float_sine(float t) { return sine(t); }
float float_exponential(CMath math, float x) { return exponential(math, x); }

void float_outputs(const ContinuousController& controller, CMath math, std::span<const float> obs,
                   std::span<float> out) {
  outputs(controller, math, obs, out);
}

void float_act(const ContinuousController& controller, CMath math, std::span<const float> obs,
               std::span<float> action) {
  act(controller, math, obs, action);
}

void double_answers(const ContinuousController& controller, std::span<const double> obs, std::span<double> answers) {
  if (controller.discrete()) return outputs(controller, CMath::libm, obs, answers);
  act(controller, CMath::libm, obs, answers);
}

}  // namespace mercer

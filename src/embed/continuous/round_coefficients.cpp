#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <Eigen/Cholesky>

#include "core/number_codes.hpp"
#include "embed/continuous/quadratic.hpp"
#include "mercer/error.hpp"

namespace mercer {

Vector round_with_units(const Matrix& curvature, Vector c, const Vector& unit, int most) {
  const Index k = c.size();
  Matrix inverse = curvature;
  inverse.diagonal().array() += 1e-7 * curvature.trace() / static_cast<double>(k) + 1e-300;
  inverse = inverse.ldlt().solve(Matrix::Identity(k, k));
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), 0);
  // First those that the others can least make up for.
  std::ranges::sort(order, [&](Index a, Index b) {
    const double first = unit[a] * unit[a] / inverse(a, a), second = unit[b] * unit[b] / inverse(b, b);
    return first != second ? first > second : a < b;
  });
  std::vector<bool> done(static_cast<std::size_t>(k));
  for (const Index i : order) {
    if (!(unit[i] > 0)) continue;
    const double whole = std::clamp(std::nearbyint(c[i] / unit[i]), -1.0 * most, 1.0 * most);
    const double off = c[i] - whole * unit[i];
    const Vector column = inverse.col(i);
    for (Index j = 0; j < k; ++j) {
      if (!done[static_cast<std::size_t>(j)] && j != i) c[j] -= off / column[i] * column[j];
    }
    c[i] = whole * unit[i];
    inverse -= column * column.transpose() / column[i];
    done[static_cast<std::size_t>(i)] = true;
    inverse(i, i) = 1;  // never used again, and must not become zero
  }
  return c;
}

namespace {

// Each by itself.
Vector round_plainly(const Vector& c, const Vector& unit, int most) {
  Vector out = c;
  for (Index i = 0; i < c.size(); ++i) {
    out[i] = unit[i] * std::clamp(std::nearbyint(c[i] / unit[i]), -1.0 * most, 1.0 * most);
  }
  return out;
}

// Moves one coefficient by a unit as long as that helps.
using LossAt = std::function<double(const Vector&)>;
double walk(Vector& c, const Vector& unit, int most, double value, const LossAt& loss_at) {
  constexpr int sweeps = 8;
  bool helped = true;
  for (int sweep = 0; sweep < sweeps && helped; ++sweep) {
    helped = false;
    for (Index i = 0; i < c.size(); ++i) {
      const double before = c[i];
      for (const double step : {-1.0, 1.0}) {
        if (std::abs(before / unit[i] + step) > most + 0.5) continue;
        c[i] = before + step * unit[i];
        const double now = loss_at(c);
        if (now < value) {
          value = now;
          helped = true;
          break;
        }
        c[i] = before;
      }
    }
  }
  return value;
}

// Functions that are nearly the same can get huge coefficients that cancel, and half precision ends at 65504. Shrinking
// brings them down; how far is decided by what is left once they are rounded. Nothing changes where nothing helps.
void keep_in_half(ContinuousCode& code, const Features& features, const Samples& samples) {
  const auto fits = [](double c) { return std::abs(c) <= 65504; };
  if (std::ranges::all_of(code.coefficients, fits)) return;
  double least = HUGE_VAL;
  for (double ridge = 1e-10; ridge < 10; ridge *= 10) {
    std::vector<double> smaller = least_squares(features, samples, ridge);
    if (!std::ranges::all_of(smaller, fits)) continue;
    for (double& c : smaller) c = from_half(to_half(c));
    const double value = objective(features, samples, smaller);
    if (!(value < least)) continue;
    least = value;
    code.coefficients = std::move(smaller);
  }
}

}  // namespace

ContinuousCode round_coefficients(ContinuousCode code, const Features& features, const Samples& samples,
                                  std::span<const double> coefficients) {
  code.coefficients.assign(coefficients.begin(), coefficients.end());
  code.scales.clear();
  if (code.format == NumberFormat::float16) keep_in_half(code, features, samples);
  if (code.format < NumberFormat::int16 || features.terms > 512) return code;
  const auto k = static_cast<Index>(features.terms);
  const int most = (1 << (format_bits(code.format) - 1)) - 1;
  const std::vector<std::size_t> parts = code.terms.parts();
  for (std::size_t o = 0; o < code.outputs; ++o) {
    const Eigen::Map<const Vector> c(coefficients.data() + o * features.terms, k);
    // For logits the bound on the curvature is that of least squares.
    const bool logits = samples.head() == Head::logits;
    const Quadratic sum = logits ? squares_of(features, samples, c, o) : quadratic_of(features, samples, c, o, true);
    const LossAt loss_at = [&](const Vector& at) {
      return logits ? (at - c).dot(sum.curvature * (at - c)) : quadratic_of(features, samples, at, o, false).value;
    };
    std::vector<std::uint8_t> best_codes;
    Vector best, best_unit;
    double least = HUGE_VAL;
    for (int tighter = -2; tighter <= 4; ++tighter) {  // a finer unit may be worth cutting the largest off
      Vector unit(k);
      std::vector<std::uint8_t> codes;
      for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
        if (parts[p] == parts[p + 1]) continue;
        const auto first = static_cast<Index>(parts[p]), size = static_cast<Index>(parts[p + 1] - parts[p]);
        const int fits = to_log_scale_above(c.segment(first, size).cwiseAbs().maxCoeff() / most);
        codes.push_back(static_cast<std::uint8_t>(std::clamp(fits - tighter, 0, 255)));
        unit.segment(first, size).setConstant(from_log_scale(codes.back()));
      }
      for (const Vector& rounded : {round_plainly(c, unit, most), round_with_units(sum.curvature, c, unit, most)}) {
        const double value = loss_at(rounded);
        if (!(value < least)) continue;
        least = value;
        best = rounded;
        best_unit = unit;
        best_codes = codes;
      }
    }
    if (best.size() == 0) throw Error(ErrorCode::not_finite, "coefficients that are no numbers", "Fit them again");
    if (k <= 64) walk(best, best_unit, most, least, loss_at);
    std::copy_n(best.data(), k, code.coefficients.begin() + static_cast<std::ptrdiff_t>(o * features.terms));
    code.scales.insert(code.scales.end(), best_codes.begin(), best_codes.end());
  }
  return code;
}

}  // namespace mercer

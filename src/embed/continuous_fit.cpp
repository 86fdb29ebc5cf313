#include "mercer/embed/continuous_fit.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <Eigen/Cholesky>

#include "core/log_scale.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/parallel.hpp"

namespace mercer {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

constexpr std::size_t block_size = 2048;

// Sums that blocks of samples contribute to: the objective, its slope, and its curvature.
struct Quadratic {
  double value = 0;
  Vector slope;
  Matrix curvature;
};

Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> block_of(const Features& features, Block block) {
  return {features.values.data() + block.begin, static_cast<Index>(features.terms),
          static_cast<Index>(block.end - block.begin), Eigen::OuterStride<>(static_cast<Index>(features.columns))};
}

std::size_t blocks_for(const Samples& samples) {
  return samples.group() * std::max<std::size_t>(1, block_size / samples.group());
}

// In the order of blocks, whatever the threads.
Quadratic sum_of(const std::vector<Quadratic>& parts, Index size, bool curvature) {
  Quadratic sum{0, Vector::Zero(size), Matrix::Zero(size, size)};
  for (const Quadratic& part : parts) {
    sum.value += part.value;
    if (!curvature) continue;
    sum.slope += part.slope;
    sum.curvature += part.curvature;
  }
  return sum;
}

// Adds up weigh(block, f, first, second), which turns the values f of one output into the objective and its first and
// second derivatives by f (the second as what stands on the diagonal).
using Weigh = std::function<double(Block, const Vector& f, Vector& first, Vector& second)>;
Quadratic add_up(const Features& features, const Samples& samples, const Vector& c, bool curvature,
                 const Weigh& weigh) {
  const std::size_t size = blocks_for(samples), count = (features.columns + size - 1) / size;
  std::vector<Quadratic> parts(count);
  for_each_block(features.columns, size, [&](Block block) {
    const auto phi = block_of(features, block);
    const Vector f = phi.transpose() * c;
    Vector first(f.size()), second(f.size());
    Quadratic& part = parts[block.index];
    part.value = weigh(block, f, first, second);
    if (!curvature) return;
    part.slope = phi * first;
    const Matrix weighted = phi * second.asDiagonal();
    part.curvature.noalias() = weighted * phi.transpose();
  });
  return sum_of(parts, c.size(), curvature);
}

// Half the sum of w (f - g)^2.
Weigh squared_error(const Samples& samples, std::size_t o) {
  return [&samples, o](Block block, const Vector& f, Vector& first, Vector& second) {
    double value = 0;
    for (Index i = 0; i < f.size(); ++i) {
      const std::size_t column = block.begin + static_cast<std::size_t>(i);
      const double w = samples.weights()(o, column), away = f[i] - samples.targets()(o, column);
      value += 0.5 * w * away * away;
      first[i] = w * away;
      second[i] = w;
    }
    return value;
  };
}

// Half the sum of (squash(f) - squash(g))^2, with the curvature of Gauss and Newton. Where the cut to [-1, 1] is flat a
// little slope is left, or nothing could lead out of there.
// With `hold` above 0 a share of the error before squashing is added.
Weigh action_error(const Samples& samples, std::size_t o, double hold) {
  return [&samples, o, hold](Block block, const Vector& f, Vector& first, Vector& second) {
    double value = 0;
    for (Index i = 0; i < f.size(); ++i) {
      const std::size_t column = block.begin + static_cast<std::size_t>(i);
      const double played = samples.played()(o, column), held = hold * samples.weights()(o, column);
      const double away = f[i] - samples.targets()(o, column);
      const double v = samples.squash() ? std::tanh(f[i]) : std::clamp(f[i], -1.0, 1.0);
      const double slope = samples.squash() ? 1 - v * v : v == f[i] ? 1 : 0.03;
      value += 0.5 * (v - played) * (v - played) + 0.5 * held * away * away;
      first[i] = slope * (v - played) + held * away;
      second[i] = slope * slope + held;
    }
    return value;
  };
}

// Kullback-Leibler divergence from the teacher's probabilities p to q ~ e^f, where points of one group hang together.
// The curvature is the covariance of the terms under q.
Quadratic add_up_density(const Features& features, const Samples& samples, const Vector& c, bool curvature) {
  const std::size_t size = blocks_for(samples), count = (features.columns + size - 1) / size;
  const auto group = static_cast<Index>(samples.group());
  std::vector<Quadratic> parts(count);
  for_each_block(features.columns, size, [&](Block block) {
    const auto phi = block_of(features, block);
    const Vector f = phi.transpose() * c;
    Vector first(f.size()), root(f.size());
    Matrix centred = phi;
    Quadratic& part = parts[block.index];
    for (Index begin = 0; begin < f.size(); begin += group) {
      const double most = f.segment(begin, group).maxCoeff();
      Vector q = (f.segment(begin, group).array() - most).exp();
      const double total = q.sum();
      q /= total;
      for (Index i = 0; i < group; ++i) {
        const double p = samples.played()(0, block.begin + static_cast<std::size_t>(begin + i));
        const double log_q = f[begin + i] - most - std::log(total);
        if (p > 0) part.value += p * (std::log(p) - log_q);
        first[begin + i] = q[i] - p;
        root[begin + i] = std::sqrt(q[i]);
      }
      if (curvature) centred.middleCols(begin, group).colwise() -= Vector(phi.middleCols(begin, group) * q);
    }
    if (!curvature) return;
    part.slope = phi * first;
    centred *= root.asDiagonal();
    part.curvature.noalias() = centred * centred.transpose();
  });
  return sum_of(parts, c.size(), curvature);
}

Quadratic quadratic_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o, bool curvature,
                       double hold = 0) {
  if (samples.head() == Head::density) return add_up_density(features, samples, c, curvature);
  return add_up(features, samples, c, curvature,
                samples.head() == Head::mean ? action_error(samples, o, hold) : squared_error(samples, o));
}

// Levenberg and Marquardt: the damping grows until a step helps, and shrinks when one did.
Vector descend(const Features& features, const Samples& samples, Vector c, std::size_t o, const Polish& options) {
  Quadratic now = quadratic_of(features, samples, c, o, true, options.hold);
  double damping = 1e-4;
  for (std::size_t step = 0; step < options.steps; ++step) {
    bool helped = false;
    for (int attempt = 0; attempt < 12 && !helped; ++attempt) {
      Matrix damped = now.curvature;
      const double average = damped.trace() / static_cast<double>(c.size());
      damped.diagonal() += damping * now.curvature.diagonal();
      damped.diagonal().array() += 1e-12 * average + 1e-300;
      const Vector next = c - damped.ldlt().solve(now.slope);
      const double value = quadratic_of(features, samples, next, o, false, options.hold).value;
      if (value < now.value) {
        const double gain = now.value - value;
        c = next;
        if (gain < options.tolerance * now.value) return c;
        now = quadratic_of(features, samples, c, o, true, options.hold);
        damping = std::max(1e-9, damping / 5);
        helped = true;
      } else {
        damping *= 8;
      }
    }
    if (!helped) break;
  }
  return c;
}

// Probabilities of discrete actions, less the teacher's, at one sample: softmax of all outputs.
double softmax_error(const Samples& samples, const Matrix& f, Index i, std::size_t column, Matrix* off) {
  double most = -HUGE_VAL, total = 0, value = 0;
  for (Index a = 0; a < f.rows(); ++a) most = std::max(most, f(a, i));
  for (Index a = 0; a < f.rows(); ++a) total += std::exp(f(a, i) - most);
  for (Index a = 0; a < f.rows(); ++a) {
    const double p = samples.played()(static_cast<std::size_t>(a), column);
    const double log_q = f(a, i) - most - std::log(total);
    if (p > 0) value += p * (std::log(p) - log_q);
    if (off != nullptr) (*off)(a, i) = std::exp(log_q) - p;
  }
  return value;
}

using Rows = Eigen::Map<const Matrix>;

double logit_value(const Features& features, const Samples& samples, const Matrix& c) {
  const Rows phi(features.values.data(), static_cast<Index>(features.terms), static_cast<Index>(features.columns));
  const Matrix f = c * phi;
  double value = 0;
  for (Index i = 0; i < f.cols(); ++i) value += softmax_error(samples, f, i, static_cast<std::size_t>(i), nullptr);
  return value;
}

// The curvature of log-sum-exp is at most half the identity (Boehning): steps with that bound never overshoot.
Matrix majorise(const Features& features, const Samples& samples, Matrix c, const Polish& options) {
  const Rows phi(features.values.data(), static_cast<Index>(features.terms), static_cast<Index>(features.columns));
  Matrix gram = phi * phi.transpose();
  gram.diagonal().array() += 1e-9 * gram.trace() / static_cast<double>(gram.rows()) + 1e-300;
  const Eigen::LDLT<Matrix> factor(gram);
  double now = logit_value(features, samples, c);
  for (std::size_t step = 0; step < 5 * options.steps; ++step) {
    const Matrix f = c * phi;
    Matrix off(f.rows(), f.cols());
    for (Index i = 0; i < f.cols(); ++i) softmax_error(samples, f, i, static_cast<std::size_t>(i), &off);
    const Matrix next = c - 2 * factor.solve(phi * off.transpose()).transpose();
    const double value = logit_value(features, samples, next);
    if (!(value < now)) break;
    const double gain = now - value;
    c = next;
    now = value;
    if (gain < options.tolerance * now) break;
  }
  return c;
}

}  // namespace

std::vector<double> least_squares(const Features& features, const Samples& samples, double ridge) {
  const auto k = static_cast<Index>(features.terms);
  std::vector<double> out;
  for (std::size_t o = 0; o < samples.outputs(); ++o) {
    Quadratic sum = add_up(features, samples, Vector::Zero(k), true, squared_error(samples, o));
    sum.curvature.diagonal() += ridge * sum.curvature.diagonal();
    sum.curvature.diagonal().array() += 1e-300;
    const Vector c = -sum.curvature.ldlt().solve(sum.slope);
    out.insert(out.end(), c.data(), c.data() + k);
  }
  return out;
}

double objective(const Features& features, const Samples& samples, std::span<const double> coefficients) {
  const auto k = static_cast<Index>(features.terms);
  double value = 0;
  if (samples.head() == Head::logits) {
    value = logit_value(features, samples, Rows(coefficients.data(), static_cast<Index>(samples.outputs()), k));
  } else {
    for (std::size_t o = 0; o < samples.outputs(); ++o) {
      const Eigen::Map<const Vector> c(coefficients.data() + o * features.terms, k);
      value += (samples.head() == Head::density ? 1 : 2) * quadratic_of(features, samples, c, o, false).value;
    }
  }
  return value / static_cast<double>(samples.size() / samples.group());
}

std::vector<double> polish(const Features& features, const Samples& samples, std::vector<double> coefficients,
                           const Polish& options) {
  require_in_range("the steps of a polish", static_cast<double>(options.steps), 0, 1000, "Take 20");
  if (samples.head() == Head::gaussian) return coefficients;  // least squares is the optimum already
  const auto k = static_cast<Index>(features.terms);
  if (samples.head() == Head::logits) {
    const Matrix c =
        majorise(features, samples, Rows(coefficients.data(), static_cast<Index>(samples.outputs()), k), options);
    return {c.data(), c.data() + c.size()};
  }
  for (std::size_t o = 0; o < samples.outputs(); ++o) {
    Eigen::Map<Vector> c(coefficients.data() + o * features.terms, k);
    const Vector polished = descend(features, samples, c, o, options);
    const double before = quadratic_of(features, samples, c, o, false).value;
    if (quadratic_of(features, samples, polished, o, false).value <= before) c = polished;
  }
  return coefficients;
}

namespace {

// Rounds the coefficients of one output with these units (one for each). What is left free moves to where the
// quadratic around c is smallest, given what is rounded.
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

// Each by itself.
Vector round_plainly(const Vector& c, const Vector& unit, int most) {
  Vector out = c;
  for (Index i = 0; i < c.size(); ++i) {
    out[i] = unit[i] * std::clamp(std::nearbyint(c[i] / unit[i]), -1.0 * most, 1.0 * most);
  }
  return out;
}

// Moves one coefficient by a unit as long as that helps.
using Judge = std::function<double(const Vector&)>;
double walk(Vector& c, const Vector& unit, int most, double value, const Judge& judge) {
  constexpr int sweeps = 8;
  bool helped = true;
  for (int sweep = 0; sweep < sweeps && helped; ++sweep) {
    helped = false;
    for (Index i = 0; i < c.size(); ++i) {
      const double before = c[i];
      for (const double step : {-1.0, 1.0}) {
        if (std::abs(before / unit[i] + step) > most + 0.5) continue;
        c[i] = before + step * unit[i];
        const double now = judge(c);
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

}  // namespace

ContinuousCode round_coefficients(ContinuousCode code, const Features& features, const Samples& samples,
                                  std::span<const double> coefficients) {
  code.coefficients.assign(coefficients.begin(), coefficients.end());
  code.scales.clear();
  if (code.format < NumberFormat::int16 || features.terms > 512) return code;
  const auto k = static_cast<Index>(features.terms);
  const int most = (1 << (format_bits(code.format) - 1)) - 1;
  const std::vector<std::size_t> parts = code.terms.parts();
  for (std::size_t o = 0; o < code.outputs; ++o) {
    const Eigen::Map<const Vector> c(coefficients.data() + o * features.terms, k);
    // For logits the bound on the curvature is that of least squares.
    const bool logits = samples.head() == Head::logits;
    const Quadratic sum = logits ? add_up(features, samples, c, true, squared_error(samples, o))
                                 : quadratic_of(features, samples, c, o, true);
    const Judge judge = [&](const Vector& at) {
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
        const double value = judge(rounded);
        if (!(value < least)) continue;
        least = value;
        best = rounded;
        best_unit = unit;
        best_codes = codes;
      }
    }
    if (best.size() == 0) throw Error(ErrorCode::not_finite, "coefficients that are no numbers", "Fit them again");
    if (k <= 64) walk(best, best_unit, most, least, judge);
    std::copy_n(best.data(), k, code.coefficients.begin() + static_cast<std::ptrdiff_t>(o * features.terms));
    code.scales.insert(code.scales.end(), best_codes.begin(), best_codes.end());
  }
  return code;
}

}  // namespace mercer

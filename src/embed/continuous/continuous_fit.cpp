#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>

#include "embed/continuous/quadratic.hpp"
#include "mercer/embed.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Levenberg and Marquardt: the damping grows until a step helps, and shrinks when one did.
Vector descend(const Features& features, const Samples& samples, Vector c, std::size_t o, const Polish& options,
               const Progress& progress) {
  Quadratic now = quadratic_of(features, samples, c, o, true, options.hold);
  double damping = 1e-4;
  for (std::size_t step = 0; step < options.steps; ++step) {
    progress.check();
    if (progress.report) progress.report("fit", static_cast<double>(step) / static_cast<double>(options.steps));
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
Matrix majorise(const Features& features, const Samples& samples, Matrix c, const Polish& options,
                const Progress& progress) {
  const Rows phi(features.values.data(), static_cast<Index>(features.terms), static_cast<Index>(features.columns));
  Matrix gram = phi * phi.transpose();
  gram.diagonal().array() += 1e-9 * gram.trace() / static_cast<double>(gram.rows()) + 1e-300;
  const Eigen::LDLT<Matrix> factor(gram);
  double now = logit_value(features, samples, c);
  for (std::size_t step = 0; step < 5 * options.steps; ++step) {
    progress.check();
    if (progress.report) progress.report("fit", static_cast<double>(step) / static_cast<double>(5 * options.steps));
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
    Quadratic sum = squares_of(features, samples, Vector::Zero(k), o);
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
  const std::size_t states = samples.size() / samples.group();
  return value / static_cast<double>(states);
}

std::vector<double> polish(const Features& features, const Samples& samples, std::vector<double> coefficients,
                           const Polish& options, const Progress& progress) {
  require_in_range("the steps of a polish", static_cast<double>(options.steps), 0, 1000, "Take 20");
  if (samples.head() == Head::gaussian) return coefficients;  // least squares is the optimum already
  const auto k = static_cast<Index>(features.terms);
  if (samples.head() == Head::logits) {
    const Matrix c = majorise(features, samples, Rows(coefficients.data(), static_cast<Index>(samples.outputs()), k),
                              options, progress);
    return {c.data(), c.data() + c.size()};
  }
  for (std::size_t o = 0; o < samples.outputs(); ++o) {
    Eigen::Map<Vector> c(coefficients.data() + o * features.terms, k);
    const Vector polished = descend(features, samples, c, o, options, progress);
    const double before = quadratic_of(features, samples, c, o, false).value;
    if (quadratic_of(features, samples, polished, o, false).value <= before) c = polished;
  }
  return coefficients;
}

}  // namespace mercer

#include "embed/continuous/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer {
namespace {

// Half the sum of w (f - g)^2.
double squared_error(const Samples& samples, std::size_t o, Block block, const Vector& f, Vector& first,
                     Vector& second) {
  double value = 0;
  for (Index i = 0; i < f.size(); ++i) {
    const std::size_t column = block.begin + static_cast<std::size_t>(i);
    const double w = samples.weights()(o, column), away = f[i] - samples.targets()(o, column);
    value += 0.5 * w * away * away;
    first[i] = w * away;
    second[i] = w;
  }
  return value;
}

// Half the sum of (squash(f) - squash(g))^2, with the curvature of Gauss and Newton. Where the cut to [-1, 1] is flat a
// little slope is left, or nothing could lead out of there.
// With `hold` above 0 a share of the error before squashing is added.
double action_error(const Samples& samples, std::size_t o, double hold, Block block, const Vector& f, Vector& first,
                    Vector& second) {
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
}

// Kullback-Leibler divergence from the teacher's probabilities p to q ~ e^f, where points of one group hang together.
double divergence(const Samples& samples, Block block, const Vector& f, Vector& first, Vector& q) {
  const auto group = static_cast<Index>(samples.group());
  double value = 0;
  for (Index begin = 0; begin < f.size(); begin += group) {
    const double most = f.segment(begin, group).maxCoeff();
    q.segment(begin, group) = (f.segment(begin, group).array() - most).exp();
    const double total = q.segment(begin, group).sum(), log_total = std::log(total);
    q.segment(begin, group) /= total;
    for (Index i = begin; i < begin + group; ++i) {
      const double p = samples.played()(0, block.begin + static_cast<std::size_t>(i));
      if (p > 0) value += p * (std::log(p) - (f[i] - most - log_total));
      first[i] = q[i] - p;
    }
  }
  return value;
}

using Judge = std::function<double(Block, const Vector& f, Vector& first, Vector& weights)>;
Quadratic add_up(const Features& features, const Samples& samples, const Vector& c, bool curvature,
                 const Judge& judge) {
  const std::size_t size = block_size(samples);
  std::vector<Quadratic> parts((features.columns + size - 1) / size);
  for_each_block(features.columns, size, [&](Block block) {
    const auto columns = static_cast<Index>(block.end - block.begin);
    const Eigen::Map<const Matrix, 0, Eigen::OuterStride<>> phi(
        features.values.data() + block.begin, static_cast<Index>(features.terms), columns,
        Eigen::OuterStride<>(static_cast<Index>(features.columns)));
    const Vector f = phi.transpose() * c;
    Vector first(columns), weights(columns);
    Quadratic& part = parts[block.index];
    part.value = judge(block, f, first, weights);
    if (!curvature) return;
    part.slope = phi * first;
    Matrix jacobian = phi;
    part.curvature = Matrix::Zero(c.size(), c.size());
    add_curvature(samples, jacobian, weights, part.curvature);
  });
  return sum_of(parts, c.size(), curvature);
}

}  // namespace

std::size_t block_size(const Samples& samples) {
  constexpr std::size_t columns = 2048;
  return samples.group() * std::max<std::size_t>(1, columns / samples.group());
}

double judge_block(const Samples& samples, std::size_t o, double hold, Block block, const Vector& f, Vector& first,
                   Vector& weights) {
  if (samples.head() == Head::density) return divergence(samples, block, f, first, weights);
  if (samples.head() == Head::mean) return action_error(samples, o, hold, block, f, first, weights);
  return squared_error(samples, o, block, f, first, weights);
}

void add_curvature(const Samples& samples, Matrix& jacobian, const Vector& weights, Matrix& lower) {
  const auto group = static_cast<Index>(samples.group());
  for (Index begin = 0; group > 1 && begin < weights.size(); begin += group) {
    // What is the same for all actions changes no distribution: the curvature is the covariance under q.
    const Vector mean = jacobian.middleCols(begin, group) * weights.segment(begin, group);
    jacobian.middleCols(begin, group).colwise() -= mean;
  }
  jacobian *= weights.cwiseSqrt().asDiagonal();
  lower.selfadjointView<Eigen::Lower>().rankUpdate(jacobian);
}

Quadratic sum_of(const std::vector<Quadratic>& parts, Index size, bool curvature) {
  Quadratic sum{0, Vector::Zero(size), Matrix::Zero(size, size)};
  for (const Quadratic& part : parts) {
    sum.value += part.value;
    if (!curvature) continue;
    sum.slope += part.slope;
    sum.curvature += part.curvature;
  }
  sum.curvature.triangularView<Eigen::StrictlyUpper>() = sum.curvature.transpose();
  return sum;
}

Quadratic quadratic_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o, bool curvature,
                       double hold) {
  return add_up(features, samples, c, curvature, [&](Block block, const Vector& f, Vector& first, Vector& weights) {
    return judge_block(samples, o, hold, block, f, first, weights);
  });
}

Quadratic squares_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o) {
  const Judge judge = [&](Block block, const Vector& f, Vector& first, Vector& weights) {
    return squared_error(samples, o, block, f, first, weights);
  };
  return add_up(features, samples, c, true, judge);
}

}  // namespace mercer

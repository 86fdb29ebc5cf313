#include "embed/quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "mercer/core/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t block_size = 2048;

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

}  // namespace

Quadratic quadratic_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o, bool curvature,
                       double hold) {
  if (samples.head() == Head::density) return add_up_density(features, samples, c, curvature);
  return add_up(features, samples, c, curvature,
                samples.head() == Head::mean ? action_error(samples, o, hold) : squared_error(samples, o));
}

Quadratic squares_of(const Features& features, const Samples& samples, const Vector& c, std::size_t o) {
  return add_up(features, samples, c, true, squared_error(samples, o));
}

}  // namespace mercer

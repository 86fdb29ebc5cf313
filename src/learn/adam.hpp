#pragma once

#include <cstdint>

#include "learn/network.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// First and second moments of the gradients of one network.
template <class Real>
struct Moments {
  explicit Moments(Index size) : first(Vector<Real>::Zero(size)), second(Vector<Real>::Zero(size)) {}
  Vector<Real> first;
  Vector<Real> second;
};

/// Adam with beta 0.9 and 0.999, epsilon 1e-8: the factors of step number `count` (from 1), bias corrections folded in,
/// so that w -= rate * m / (sqrt(v) + epsilon).
template <class Real>
struct AdamStep {
  AdamStep(double rate_of_update, std::uint64_t count);
  static constexpr Real beta1 = static_cast<Real>(0.9);
  static constexpr Real beta2 = static_cast<Real>(0.999);
  Real rate;
  Real epsilon;
};

/// The learning rate of update number `count` (from 1).
double learning_rate(const LearnOptions& options, std::uint64_t count);

/// One step of weights [begin, end).
template <class Real>
void adam(const AdamStep<Real>& step, const Vector<Real>& gradient, Moments<Real>& moments, Vector<Real>& weights,
          Index begin, Index end);

/// The same for all weights, and target += tau * (weights - target) in one sweep over the memory.
template <class Real>
void adam_with_target(const AdamStep<Real>& step, const Vector<Real>& gradient, Moments<Real>& moments,
                      Vector<Real>& weights, Real tau, Vector<Real>& target);

}  // namespace mercer::learn

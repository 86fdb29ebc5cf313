#include "learn/adam.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::learn {
namespace {

template <class Real>
inline Real moved(const AdamStep<Real>& step, Real g, Real& m, Real& v, Real w) {
  m = step.beta1 * m + (1 - step.beta1) * g;
  v = step.beta2 * v + (1 - step.beta2) * (g * g);
  return w - step.rate * m / (std::sqrt(v) + step.epsilon);
}

}  // namespace

double learning_rate(const LearnOptions& options, std::uint64_t count) {
  if (options.decay_updates == 0) return options.learning_rate;
  const double left = 1 - static_cast<double>(count) / static_cast<double>(options.decay_updates);
  return options.learning_rate * std::max(left, 0.01);
}

// m / (1 - b1^t) over sqrt(v / (1 - b2^t)) + eps, with sqrt(1 - b2^t) taken out of both.
template <class Real>
AdamStep<Real>::AdamStep(double rate_of_update, std::uint64_t count) {
  const auto t = static_cast<double>(count);
  const double root = std::sqrt(1 - std::pow(0.999, t));
  rate = static_cast<Real>(rate_of_update * root / (1 - std::pow(0.9, t)));
  epsilon = static_cast<Real>(1e-8 * root);
}

template <class Real>
void adam(const AdamStep<Real>& step, const Vector<Real>& gradient, Moments<Real>& moments, Vector<Real>& weights,
          Index begin, Index end) {
  const AdamStep<Real> s = step;
  const Real* __restrict g = gradient.data();
  Real* __restrict m = moments.first.data();
  Real* __restrict v = moments.second.data();
  Real* __restrict w = weights.data();
  for (Index i = begin; i < end; ++i) w[i] = moved(s, g[i], m[i], v[i], w[i]);
}

template <class Real>
void adam_with_target(const AdamStep<Real>& step, const Vector<Real>& gradient, Moments<Real>& moments,
                      Vector<Real>& weights, Real tau, Vector<Real>& target) {
  const AdamStep<Real> s = step;
  const Real* __restrict g = gradient.data();
  Real* __restrict m = moments.first.data();
  Real* __restrict v = moments.second.data();
  Real* __restrict w = weights.data();
  Real* __restrict t = target.data();
  for (Index i = 0; i < weights.size(); ++i) {
    w[i] = moved(s, g[i], m[i], v[i], w[i]);
    t[i] += tau * (w[i] - t[i]);
  }
}

#define MERCER_INSTANTIATE(Real)                                                                                  \
  template struct AdamStep<Real>;                                                                                 \
  template void adam(const AdamStep<Real>&, const Vector<Real>&, Moments<Real>&, Vector<Real>&, Index, Index);    \
  template void adam_with_target(const AdamStep<Real>&, const Vector<Real>&, Moments<Real>&, Vector<Real>&, Real, \
                                 Vector<Real>&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer::learn

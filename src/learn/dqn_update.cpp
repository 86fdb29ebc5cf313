#include "learn/dqn_update.hpp"

#include <algorithm>
#include <cmath>

#include "learn/tasks_of_two.hpp"

namespace mercer::learn {

template <class Real>
DqnUpdate<Real>::DqnUpdate(std::size_t observations, std::size_t actions, const DqnOptions& options, std::uint64_t seed)
    : action(options.batch_size),
      weights(initial_weights<Real>(Network(observations, options.hidden, actions), seed, 0)),
      target(weights),
      moments(weights.size()),
      options_(options),
      network_(observations, options.hidden, actions),
      batch_(static_cast<Index>(options.batch_size)),
      pass_(network_, batch_),
      next_pass_(network_, batch_),
      target_pass_(network_, batch_),
      goals_(Vector<Real>::Zero(batch_)) {
  data.setZero(network_.inputs(), batch_);
  next.setZero(network_.inputs(), batch_);
  reward.setZero(batch_);
  continues.setZero(batch_);
  for (Vector<Real>& part : gradients_) part.setZero(network_.size);
}

template <class Real>
void DqnUpdate<Real>::value_next(std::size_t task) {
  const bool online = task == 0;
  if (online && !options_.double_q) return;
  forward<Real>(network_, online ? weights.data() : target.data(), next, {0, batch_},
                online ? next_pass_ : target_pass_);
}

template <class Real>
void DqnUpdate<Real>::set_goals() {
  const Matrix<Real>& choosing = (options_.double_q ? next_pass_ : target_pass_).output();
  const auto gamma = static_cast<Real>(options_.gamma);
  for (Index c = 0; c < batch_; ++c) {
    Index best = 0;
    choosing.col(c).maxCoeff(&best);
    goals_[c] = reward[c] + gamma * continues[c] * target_pass_.output()(best, c);
  }
}

template <class Real>
void DqnUpdate<Real>::gradient(std::size_t half) {
  const Columns columns = half_of(batch_, half);
  forward<Real>(network_, weights.data(), data, columns, pass_);
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    const Index a = action[static_cast<std::size_t>(c)];
    const Real miss = pass_.output()(a, c) - goals_[c];
    pass_.output_delta().col(c).setZero();
    pass_.output_delta()(a, c) = std::clamp(miss, Real{-1}, Real{1}) / static_cast<Real>(batch_);
  }
  backward<Real>(network_, weights.data(), data, columns, pass_, gradients_[half].data());
}

template <class Real>
Real DqnUpdate<Real>::loss() const {
  Real sum = 0;
  for (Index c = 0; c < batch_; ++c) {
    const Real miss = std::abs(pass_.output()(action[static_cast<std::size_t>(c)], c) - goals_[c]);
    sum += miss <= 1 ? miss * miss / 2 : miss - Real{0.5};
  }
  return sum / static_cast<Real>(batch_);
}

template <class Real>
void DqnUpdate<Real>::step() {
  gradients_[0] += gradients_[1];
  const Real length = gradients_[0].norm();
  const auto most = static_cast<Real>(options_.max_gradient_norm);
  if (length > most) gradients_[0] *= most / length;
  ++count;
  adam(AdamStep<Real>(learning_rate(options_, count), count), gradients_[0], moments, weights, 0, weights.size());
  if (count % options_.target_every == 0) target = weights;
}

template <class Real>
void DqnUpdate<Real>::update() {
  both([this](std::size_t task) { value_next(task); });
  set_goals();
  both([this](std::size_t half) { gradient(half); });
  step();
}

template class DqnUpdate<float>;
template class DqnUpdate<double>;

}  // namespace mercer::learn

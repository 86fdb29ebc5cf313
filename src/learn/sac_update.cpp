#include <cmath>
#include <numbers>

#include "learn/network.hpp"
#include "learn/sac.hpp"

namespace mercer::learn {

template <class Real>
SquashedActions<Real>::SquashedActions(Index actions, Index columns) : log_prob(Vector<Real>::Zero(columns)) {
  for (Matrix<Real>* part : {&noise, &log_std, &std, &before, &action, &inside}) part->setZero(actions, columns);
}

template <class Real>
void squash(const Matrix<Real>& output, SquashedActions<Real>& s) {
  const Index actions = s.noise.rows();
  const auto low = static_cast<Real>(lowest_log_std);
  const auto high = static_cast<Real>(highest_log_std);
  s.before = output.topRows(actions);
  s.log_std = output.bottomRows(actions);
  s.inside = (s.log_std.array() >= low && s.log_std.array() <= high).template cast<Real>();
  s.log_std = s.log_std.cwiseMax(low).cwiseMin(high);
  s.std = s.log_std.array().exp();
  s.before.array() += s.std.array() * s.noise.array();
  s.action = s.before.array().tanh();

  // log(1 - tanh(u)^2) = 2 (ln 2 - u - softplus(-2u)), which stays exact where tanh rounds to one. With |u| in the
  // place of u, an even function's right, the exponential cannot overflow.
  const Real half_log_two_pi = static_cast<Real>(0.5 * std::log(2 * std::numbers::pi));
  const Real log_two = std::numbers::ln2_v<Real>;
  if (actions == 1) {
    s.log_prob.array() = (-s.noise.array().square() / 2 - s.log_std.array() - half_log_two_pi -
                          2 * (log_two - s.before.array().abs() - (-2 * s.before.array().abs()).exp().log1p()))
                             .row(0)
                             .transpose();
    return;
  }
  s.log_prob = (-s.noise.array().square() / 2 - s.log_std.array() - half_log_two_pi -
                2 * (log_two - s.before.array().abs() - (-2 * s.before.array().abs()).exp().log1p()))
                   .colwise()
                   .sum()
                   .transpose();
}

template <class Real>
void squash_backward(const SquashedActions<Real>& s, const Matrix<Real>& slope, Real alpha, Real scale, Columns columns,
                     Matrix<Real>& output_delta) {
  const Index actions = s.noise.rows();
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    for (Index i = 0; i < actions; ++i) {
      const Real a = s.action(i, c);
      const Real by_before = scale * (2 * alpha * a - slope(i, c) * (1 - a * a));
      output_delta(i, c) = by_before;
      output_delta(actions + i, c) = s.inside(i, c) * (by_before * s.std(i, c) * s.noise(i, c) - scale * alpha);
    }
  }
}

#define MERCER_INSTANTIATE(Real)                                     \
  template struct SquashedActions<Real>;                             \
  template void squash(const Matrix<Real>&, SquashedActions<Real>&); \
  template void squash_backward(const SquashedActions<Real>&, const Matrix<Real>&, Real, Real, Columns, Matrix<Real>&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);
#undef MERCER_INSTANTIATE

}  // namespace mercer::learn

namespace mercer::learn {
template <class Real>
Critic<Real>::Critic(const Network& network, Index batch, Index actions, std::uint64_t seed, std::uint64_t item)
    : weights(initial_weights<Real>(network, seed, item)),
      target(weights),
      gradient(Vector<Real>::Zero(network.size)),
      moments(network.size),
      pass(network, batch),
      target_pass(network, batch),
      action_slope(Matrix<Real>::Zero(actions, batch)) {}

template <class Real>
SacUpdate<Real>::SacUpdate(std::size_t observations, std::size_t actions, const SacOptions& options, std::uint64_t seed)
    : next_actions(static_cast<Index>(actions), static_cast<Index>(options.batch_size)),
      now_actions(next_actions),
      actor(initial_weights<Real>(Network(observations, options.hidden, 2 * actions), seed, 0)),
      actor_moments(actor.size()),
      critics{Critic<Real>{Network(observations + actions, options.hidden, 1), static_cast<Index>(options.batch_size),
                           static_cast<Index>(actions), seed, 1},
              Critic<Real>{Network(observations + actions, options.hidden, 1), static_cast<Index>(options.batch_size),
                           static_cast<Index>(actions), seed, 2}},
      log_alpha(std::log(options.initial_alpha)),
      options_(options),
      target_entropy_(options.target_entropy.value_or(-static_cast<double>(actions))),
      actor_network_(observations, options.hidden, 2 * actions),
      critic_network_(observations + actions, options.hidden, 1),
      batch_(static_cast<Index>(options.batch_size)),
      next_pass_(actor_network_, batch_),
      now_pass_(actor_network_, batch_),
      goals_(Vector<Real>::Zero(batch_)),
      slope_(Matrix<Real>::Zero(static_cast<Index>(actions), batch_)) {
  for (Matrix<Real>* input : {&data, &next, &now}) input->setZero(critic_network_.inputs(), batch_);
  reward.setZero(batch_);
  continues.setZero(batch_);
  for (Vector<Real>& gradient : actor_gradients_) gradient.setZero(actor_network_.size);
}

template <class Real>
Real SacUpdate<Real>::alpha() const {
  return static_cast<Real>(std::exp(log_alpha));
}

template <class Real>
void SacUpdate<Real>::draw_actions(std::size_t task) {
  Matrix<Real>& input = task == 0 ? next : now;
  Pass<Real>& pass = task == 0 ? next_pass_ : now_pass_;
  SquashedActions<Real>& actions = task == 0 ? next_actions : now_actions;
  forward<Real>(actor_network_, actor.data(), input.topRows(actor_network_.inputs()), {0, batch_}, pass);
  squash(pass.output(), actions);
  input.bottomRows(actions.action.rows()) = actions.action;
}

template <class Real>
void SacUpdate<Real>::value_next(std::size_t critic) {
  Critic<Real>& own = critics[critic];
  forward<Real>(critic_network_, own.target.data(), next, {0, batch_}, own.target_pass);
}

template <class Real>
void SacUpdate<Real>::set_goals() {
  const auto smaller = critics[0].target_pass.output().cwiseMin(critics[1].target_pass.output()).row(0).transpose();
  goals_ = reward.array() + static_cast<Real>(options_.gamma) * continues.array() *
                                (smaller.array() - alpha() * next_actions.log_prob.array());
}

template <class Real>
void SacUpdate<Real>::critic_gradient(std::size_t critic) {
  Critic<Real>& own = critics[critic];
  forward<Real>(critic_network_, own.weights.data(), data, {0, batch_}, own.pass);
  own.pass.output_delta() = (own.pass.output() - goals_.transpose()) / static_cast<Real>(batch_);
  backward<Real>(critic_network_, own.weights.data(), data, {0, batch_}, own.pass, own.gradient.data());
}

template <class Real>
void SacUpdate<Real>::step_critic(std::size_t critic) {
  Critic<Real>& own = critics[critic];
  adam_with_target(AdamStep<Real>(learning_rate(options_, count + 1), count + 1), own.gradient, own.moments,
                   own.weights, static_cast<Real>(options_.tau), own.target);
}

template <class Real>
void SacUpdate<Real>::value_now(std::size_t critic) {
  forward<Real>(critic_network_, critics[critic].weights.data(), now, {0, batch_}, critics[critic].pass);
}

template <class Real>
void SacUpdate<Real>::choose_smaller() {
  const Matrix<Real>& first = critics[0].pass.output();
  const Matrix<Real>& second = critics[1].pass.output();
  critics[0].pass.output_delta() = (first.array() <= second.array()).template cast<Real>();
  critics[1].pass.output_delta() = (first.array() > second.array()).template cast<Real>();
}

template <class Real>
void SacUpdate<Real>::slope_by_action(std::size_t critic) {
  Critic<Real>& own = critics[critic];
  backward_to_input(critic_network_, own.weights.data(), {0, batch_}, own.pass, own.action_slope);
}

template <class Real>
void SacUpdate<Real>::actor_gradient(std::size_t half) {
  const Columns columns = half_of(batch_, half);
  slope_.middleCols(columns.begin, columns.count) = critics[0].action_slope.middleCols(columns.begin, columns.count) +
                                                    critics[1].action_slope.middleCols(columns.begin, columns.count);
  squash_backward(now_actions, slope_, alpha(), Real{1} / static_cast<Real>(batch_), columns, now_pass_.output_delta());
  backward<Real>(actor_network_, actor.data(), now.topRows(actor_network_.inputs()), columns, now_pass_,
                 actor_gradients_[half].data());
}

template <class Real>
void SacUpdate<Real>::step_actor(std::size_t half) {
  const Columns part = half_of(actor_network_.size / 16, half);  // whole vectors, so that the halves stay aligned
  const Index begin = part.begin * 16;
  const Index count16 = part.count * 16;
  actor_gradients_[0].segment(begin, count16) += actor_gradients_[1].segment(begin, count16);
  adam(AdamStep<Real>(learning_rate(options_, count + 1), count + 1), actor_gradients_[0], actor_moments, actor, begin,
       begin + count16);
}

template <class Real>
double SacUpdate<Real>::alpha_gradient() const {
  double sum = 0;
  for (Index i = 0; i < batch_; ++i) sum += static_cast<double>(now_actions.log_prob[i]) + target_entropy_;
  return -sum / static_cast<double>(batch_);
}

template <class Real>
void SacUpdate<Real>::step_alpha() {
  if (!options_.tune_alpha) return;
  const double g = alpha_gradient();
  const AdamStep<double> step(learning_rate(options_, count + 1), count + 1);
  log_alpha_first = step.beta1 * log_alpha_first + (1 - step.beta1) * g;
  log_alpha_second = step.beta2 * log_alpha_second + (1 - step.beta2) * (g * g);
  log_alpha -= step.rate * log_alpha_first / (std::sqrt(log_alpha_second) + step.epsilon);
}

template <class Real>
void SacUpdate<Real>::update() {
  both([this](std::size_t task) { draw_actions(task); });
  both([this](std::size_t critic) { value_next(critic); });
  set_goals();
  both([this](std::size_t critic) {
    critic_gradient(critic);
    step_critic(critic);
    value_now(critic);
  });
  choose_smaller();
  both([this](std::size_t critic) { slope_by_action(critic); });
  both([this](std::size_t half) { actor_gradient(half); });
  both([this](std::size_t half) { step_actor(half); });
  step_alpha();
  ++count;
}

template struct Critic<float>;
template struct Critic<double>;
template class SacUpdate<float>;
template class SacUpdate<double>;

double sac_update_flops(std::size_t observations, std::size_t actions, const SacOptions& options) {
  const Flops actor = flops(Network(observations, options.hidden, 2 * actions));
  const Flops critic = flops(Network(observations + actions, options.hidden, 1));
  const double first_width = static_cast<double>(options.hidden.empty() ? 1 : options.hidden.front());
  const double to_action = 2.0 * static_cast<double>(actions) * first_width;
  const double targets = actor.forward + 2 * critic.forward;
  const double critics = 2 * (critic.forward + critic.gradient + critic.back);
  const double policy = actor.forward + 2 * (critic.forward + critic.back + to_action) + actor.gradient + actor.back;
  return (targets + critics + policy) * static_cast<double>(options.batch_size);
}

}  // namespace mercer::learn

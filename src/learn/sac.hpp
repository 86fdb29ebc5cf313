#pragma once

#include <array>

#include "learn/adam.hpp"
#include "learn/network.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

constexpr double lowest_log_std = -20;
constexpr double highest_log_std = 2;

/// Actions a = tanh(u), u = mean + exp(log_std) noise, drawn for a batch from an actor's output: the means above, the
/// log standard deviations below, one column per state.
template <class Real>
struct SquashedActions {
  SquashedActions(Index actions, Index columns);

  Matrix<Real> noise;  ///< standard normal; the caller fills it
  Matrix<Real> log_std, std, before, action;
  Matrix<Real> inside;    ///< 1 where log_std was inside its bounds, 0 where it was clipped and has no derivative
  Vector<Real> log_prob;  ///< of each column: log N(u) - sum log(1 - a^2)
};

template <class Real>
void squash(const Matrix<Real>& output, SquashedActions<Real>& actions);

/// Derivative of (alpha log_prob - Q) * scale by the actor's output, where `slope` holds dQ/da.
template <class Real>
void squash_backward(const SquashedActions<Real>& actions, const Matrix<Real>& slope, Real alpha, Real scale,
                     Columns columns, Matrix<Real>& output_delta);

}  // namespace mercer::learn

namespace mercer::learn {

/// A critic, its slowly following target, and what an update of it needs.
template <class Real>
struct Critic {
  Critic(const Network& network, Index batch, Index actions, std::uint64_t seed, std::uint64_t item);

  Vector<Real> weights, target, gradient;
  Moments<Real> moments;
  Pass<Real> pass;            ///< over the minibatch, then over the actor's actions
  Pass<Real> target_pass;     ///< over the next states
  Matrix<Real> action_slope;  ///< derivative of this critic's share of the smaller value by the action
};

/// One update of soft actor-critic, the minibatch and all noise given. The order: targets; each critic's step and its
/// target's; the actor's step against the new critics; the temperature's step. The temperature is the old one
/// throughout.
///
/// The work is cut into two tasks at every stage (the two critics, current and next states, halves of a batch or of the
/// weights), whatever the number of threads: the weights are the same to the bit on one thread and on two.
template <class Real>
class SacUpdate {
 public:
  SacUpdate(std::size_t observations, std::size_t actions, const SacOptions& options, std::uint64_t seed);

  const Network& actor_network() const { return actor_network_; }
  const Network& critic_network() const { return critic_network_; }
  Index batch() const { return batch_; }

  // The minibatch; the caller fills it. Inputs hold observations above and actions below; those of `next` and `now` are
  // drawn here.
  Matrix<Real> data, next, now;
  Vector<Real> reward, continues;  ///< `continues` is 0 where the task ended, 1 elsewhere (a time limit is no end)
  SquashedActions<Real> next_actions, now_actions;

  // What is learned, and how often that was stepped.
  Vector<Real> actor;
  Moments<Real> actor_moments;
  std::array<Critic<Real>, 2> critics;
  double log_alpha = 0, log_alpha_first = 0, log_alpha_second = 0;
  std::uint64_t count = 0;

  void update();

  // The stages, each for one of two tasks; tests take them one by one.
  void draw_actions(std::size_t task);       ///< 0: for the next states, 1: for the states themselves
  void value_next(std::size_t critic);       ///< target critic on the next states
  void set_goals();                          ///< r + gamma continues (min Q - alpha log_prob)
  void critic_gradient(std::size_t critic);  ///< of mean (Q - goal)^2 / 2
  void step_critic(std::size_t critic);
  void value_now(std::size_t critic);  ///< critic on the actor's actions
  void choose_smaller();               ///< which critic each column's gradient goes through
  void slope_by_action(std::size_t critic);
  void actor_gradient(std::size_t half);  ///< of mean(alpha log_prob - min Q), over half of the batch
  void step_actor(std::size_t half);
  double alpha_gradient() const;  ///< of -log_alpha mean(log_prob + target entropy)
  void step_alpha();

  Real alpha() const;
  const Vector<Real>& goals() const { return goals_; }
  Vector<Real> whole_actor_gradient() const { return actor_gradients_[0] + actor_gradients_[1]; }

 private:
  SacOptions options_;
  double target_entropy_;
  Network actor_network_, critic_network_;
  Index batch_;
  Pass<Real> next_pass_, now_pass_;
  Vector<Real> goals_;
  Matrix<Real> slope_;
  std::array<Vector<Real>, 2> actor_gradients_;
};

/// Floating-point operations of the matrix products of one update, each counted once: targets (actor and two critics
/// forward), critics (forward, derivative by the weights, way back), actor (forward; both critics forward and back to
/// the action; its own derivative and way back). Element-wise work, Adam and the targets' move are not counted.
double sac_update_flops(std::size_t observations, std::size_t actions, const SacOptions& options);

}  // namespace mercer::learn

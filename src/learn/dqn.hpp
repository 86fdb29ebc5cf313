#pragma once

#include <array>

#include "learn/adam.hpp"
#include "mercer/train.hpp"

namespace mercer::learn {

/// One update of deep Q-learning, the minibatch given: a step of Adam on the mean Huber loss of Q(s, a) - goal, where
/// goal = r + gamma continues Q_target(s', argmax Q(s', .)). Cut into two tasks as `SacUpdate` is.
template <class Real>
class DqnUpdate {
 public:
  DqnUpdate(std::size_t observations, std::size_t actions, const DqnOptions& options, std::uint64_t seed);

  const Network& network() const { return network_; }
  Index batch() const { return batch_; }

  // The minibatch; the caller fills it.
  Matrix<Real> data, next;
  std::vector<Index> action;
  Vector<Real> reward, continues;

  // What is learned, and how often that was stepped.
  Vector<Real> weights, target;
  Moments<Real> moments;
  std::uint64_t count = 0;

  void update();

  // The stages; tests take them one by one.
  void value_next(std::size_t task);  ///< 0: the online network, 1: the target network
  void set_goals();
  void gradient(std::size_t half);
  void step();  ///< shortens the gradient if it is too long, then Adam; every `target_every` updates the target follows

  Real loss() const;
  Vector<Real> whole_gradient() const { return gradients_[0] + gradients_[1]; }

 private:
  DqnOptions options_;
  Network network_;
  Index batch_;
  Pass<Real> pass_, next_pass_, target_pass_;
  Vector<Real> goals_;
  std::array<Vector<Real>, 2> gradients_;
};

}  // namespace mercer::learn

#pragma once

#include "learn/network.hpp"
#include "mercer/critics.hpp"

namespace mercer::distil {

using learn::Matrix;
using learn::Vector;

/// Critics as networks of the tuner, in single precision.
struct CriticNetworks {
  explicit CriticNetworks(const DenseCritics& critics);
  CriticNetworks(learn::Network shape, std::vector<Vector<float>> numbers, Normalisation normaliser)
      : network(std::move(shape)), weights(std::move(numbers)), normalisation(std::move(normaliser)) {}

  learn::Network network;
  std::vector<Vector<float>> weights;
  Normalisation normalisation;
};

/// What an error of each action costs, one column for each state: (Q(s, a) - Q(s, a + step)) / step^2, averaged over
/// steps of +-1/4 in one action, cut at the bounds, and over the critics; never below zero. `states` are raw
/// observations, `actions` what the teacher does, in [-1, 1]. Critics of this kind have no curvature at a point: the
/// step sees that of their scale. Cost: 2 * actions + 1 values a state and critic, on all threads.
Matrix<float> action_costs(const CriticNetworks& critics, const Matrix<float>& states, const Matrix<float>& actions);

}  // namespace mercer::distil

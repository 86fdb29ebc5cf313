#pragma once

#include <string>
#include <vector>

#include "mercer/env/env.hpp"

namespace mercer {

/// (observation - mean) / sqrt(variance + epsilon), limited to +-clip: what VecNormalize of Stable-Baselines3 does.
struct Normalisation {
  std::vector<double> mean;      ///< one for each observation; empty: observations are taken as they are
  std::vector<double> variance;  ///< not negative
  double epsilon = 1e-8;         ///< not negative
  double clip = 10;              ///< above 0

  bool empty() const { return mean.empty(); }
  double apply(std::size_t dimension, double observation) const;
};

/// What bends an unbounded number u into an action.
enum class Squash {
  none,  ///< action = centre + scale * u
  tanh,  ///< action = centre + scale * tanh(u)
};

/// What a policy expects to see and promises to do. It travels with the policy into every file and every export, so
/// that whoever runs it, anywhere, feeds it the right numbers in the right order and units.
struct Contract {
  std::string task;   ///< the task it was made for; empty where it was not for one
  Space observation;  ///< names, ranges and units, in the order they are given
  Space action;
  double dt = 0;  ///< seconds between two actions; 0 where time has no unit

  Normalisation normalisation = {};
  Squash squash = Squash::none;
  std::vector<double> centre = {}, scale = {};  ///< one for each action; empty on discrete actions
  std::vector<Range> clip = {};                 ///< what actions are limited to in the end; empty: not limited
};

/// The contract of a task's actions as they are: no normalisation, nothing squashed, limited to the action space.
Contract contract_of(const Task& task);

/// Throws `shape_mismatch`, `out_of_range` or `not_finite` unless sizes agree and every number is legal.
void check_contract(const Contract& contract, const std::string& owner);

}  // namespace mercer

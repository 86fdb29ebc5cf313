#pragma once

#include "mercer/policy/batch_function.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// u ~ Normal(mean(s), exp(log_std(s))^2) in each dimension, action = centre + scale * tanh(u) (or u itself when the
/// contract squashes nothing): the actor of SAC, and of PPO.
///
/// The density of an action a, with z = (a - centre) / scale and u = atanh(z), is the product over dimensions of
///   Normal(u; mean, std) / (|scale| (1 - z^2)),
/// and integrates to one over the box. An action on the very edge, where rounding takes tanh, counts as the last number
/// inside. Without squashing the density is that of the action before it is clipped.
class GaussianPolicy : public Policy {
 public:
  /// `parameters` gives 2A rows for A action dimensions: the means of u, then the logarithms of its spreads.
  GaussianPolicy(std::string name, Contract contract, BatchFunction parameters);

  const BatchFunction& parameters() const { return parameters_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  BatchFunction parameters_;
};

}  // namespace mercer

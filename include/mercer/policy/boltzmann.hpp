#pragma once

#include "mercer/policy/batch_function.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// pi(a|s) = exp(q(s,a) / T) / sum over b of exp(q(s,b) / T) among finitely many actions. With logits for q and T = 1
/// it is any categorical policy.
class DiscreteBoltzmannPolicy : public Policy {
 public:
  /// `q` gives one row for each action. `temperature` is above 0.
  DiscreteBoltzmannPolicy(std::string name, Contract contract, BatchFunction q, double temperature);

  const BatchFunction& q() const { return q_; }
  double temperature() const { return temperature_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;

 private:
  BatchFunction q_;
  BatchFunction most_likely_;
  double temperature_;
};

/// pi(a|s) = exp(q(s,a) / T) / Z(s) on a box of one to three dimensions, Z by quadrature.
///
/// The box is cut into equal cells: 64 for one dimension, 32 x 32 for two, 16 x 16 x 16 for three. Within a cell q / T
/// is taken to be linear, with the value at its middle and the slopes between the neighbours' middles, and its mass is
/// corrected for the curvature between them: the integral is then a product of sinh(x)/x, exact however steep q / T is.
/// Z, the mean action and the draws all use these cells; `log_prob` uses q at the action itself. What corners of q
/// inside a cell leave is measured in docs/policies.md. A call costs as many evaluations of q as there are cells, for
/// each state.
class BoxBoltzmannPolicy : public Policy {
 public:
  /// `q` takes the observation and below it the action scaled to [-1, 1], and gives one row. The contract's centre and
  /// scale lead from [-1, 1] to the box. `temperature` is above 0.
  BoxBoltzmannPolicy(std::string name, Contract contract, BatchFunction q, double temperature);

  const BatchFunction& q() const { return q_; }
  double temperature() const { return temperature_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  /// The mean of the distribution.
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;

 private:
  BatchFunction q_;
  double temperature_;
};

}  // namespace mercer

#pragma once

#include "mercer/policy/policy.hpp"

namespace mercer {

/// Every action equally likely, whatever the state. The baseline that any policy should beat.
class UniformPolicy : public Policy {
 public:
  /// Throws `out_of_range` for an action box without finite bounds.
  explicit UniformPolicy(const Task& task);

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  double log_density_;
};

}  // namespace mercer

#pragma once

#include <optional>

#include "mercer/policy/batch_function.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// One action for each state; a spread may be put around it.
///
/// With a spread sigma (a fraction of half the width of what actions are clipped to) an action is drawn from the normal
/// distribution around the deterministic one, cut off at the clip bounds: its density is
///   Normal(a; mu, sigma) / (Phi((high - mu) / sigma) - Phi((low - mu) / sigma)).
/// Without one a box has no density, and `log_prob` throws `missing_option`; among discrete actions the chosen one has
/// probability one.
class DeterministicPolicy : public Policy {
 public:
  /// `choose` gives A rows: what the contract makes actions of, or the index of a discrete action. `spread` in (0, 1]
  /// needs a box with finite clip bounds.
  DeterministicPolicy(std::string name, Contract contract, BatchFunction choose, std::optional<double> spread = {});

  const BatchFunction& choose() const { return choose_; }

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override;
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override;
  void log_prob(MatrixView<const double> observation, MatrixView<const double> action,
                std::span<double> out) const override;
  void log_prob_many(MatrixView<const double> observation, MatrixView<const double> action,
                     MatrixView<double> out) const override;
  bool cdf(MatrixView<const double> observation, std::size_t dimension, MatrixView<const double> values,
           MatrixView<double> out) const override;

 private:
  double log_density(std::size_t dimension, double action, double mu) const;

  BatchFunction choose_;
  std::optional<double> spread_;
};

}  // namespace mercer

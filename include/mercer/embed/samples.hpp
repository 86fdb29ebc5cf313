#pragma once

#include <vector>

#include "mercer/embed/continuous_code.hpp"
#include "mercer/policy/policy.hpp"

namespace mercer {

/// Visited states and what the teacher does there: the data of a continuous fit.
///
/// Columns are points, targets and weights have one row for each output:
///   mean      u with squash(u) = the teacher's mean action scaled to [-1, 1], where tanh is cut to +-0.995; weight
///             1 - tanh(u)^2 + 0.03, by how much the action moves. Without squashing the action itself, weight 1
///   gaussian  mean and log_std before squashing, weights 1 / sigma^2 and 2: the squared error is twice the
///             Kullback-Leibler divergence, to second order
///   logits    of a Boltzmann policy q / T, else 1 for the action that is played and -1 for the others, less their mean
///   density   each state makes a group of points, one for each action of a grid (shifted from state to state); target
///             is the log density less its mean over the group, weight the probability there, with a floor
class Samples {
 public:
  /// Throws `bad_value` where the teacher has no such function. The teacher must outlive this.
  Samples(const Policy& teacher, Head head, bool squash);

  /// Asks the teacher about more states (columns). States that policies visit count as often as they are added.
  void add(MatrixView<const double> states);

  Head head() const { return head_; }
  bool squash() const { return squash_; }
  std::size_t size() const { return columns_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t group() const { return group_; }  ///< points of one state: 1 but for a density
  MatrixView<const double> points() const { return {points_.data(), dimensions_, columns_}; }
  MatrixView<const double> targets() const { return {targets_.data(), outputs_, columns_}; }
  MatrixView<const double> weights() const { return {weights_.data(), outputs_, columns_}; }
  /// mean: the action scaled to [-1, 1]; logits and density: probabilities; gaussian: none.
  MatrixView<const double> played() const { return {played_.data(), played_.empty() ? 0 : outputs_, columns_}; }
  const Policy& teacher() const { return teacher_; }

 private:
  void ask_mean(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                MatrixView<double> played) const;
  void ask_gaussian(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight) const;
  void ask_logits(MatrixView<const double> states, MatrixView<double> target, MatrixView<double> weight,
                  MatrixView<double> played) const;
  void ask_density(MatrixView<const double> points, MatrixView<double> target, MatrixView<double> weight,
                   MatrixView<double> played) const;
  std::vector<double> expanded(MatrixView<const double> states) const;

  const Policy& teacher_;
  Contract contract_;  // that the embedding will act by
  Head head_;
  bool squash_;
  std::size_t dimensions_, outputs_, group_ = 1, columns_ = 0;
  std::vector<double> points_, targets_, weights_, played_;
};

/// The head that suits a teacher: `mean` or greedy `logits` where only the action that it plays without drawing is
/// embedded, else its whole distribution.
Head head_for(const Policy& teacher, bool whole_distribution);

}  // namespace mercer

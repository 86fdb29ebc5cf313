#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// A policy from a function of the observation and a number that is uniform on [-1, 1) when the policy is sampled and
/// zero when its mean action is asked for. All action dimensions are given the same number.
class FunctionPolicy : public Policy {
 public:
  using Choose = std::function<double(std::span<const double> observation, double noise)>;

  FunctionPolicy(std::string name, const Task& task, Choose choose)
      : Policy(std::move(name), contract_of(task)), choose_(std::move(choose)) {}

  void sample(MatrixView<const double> observation, const Draws& draws, MatrixView<double> action) const override {
    for (std::size_t i = 0; i < action.cols(); ++i) {
      write(action, i, choose_(column(observation, i), 2 * draws.random(i).uniform() - 1));
    }
  }
  void mean_action(MatrixView<const double> observation, MatrixView<double> action) const override {
    for (std::size_t i = 0; i < action.cols(); ++i) write(action, i, choose_(column(observation, i), 0));
  }
  /// No test asks a policy made here for its density.
  void log_prob(MatrixView<const double>, MatrixView<const double>, std::span<double> out) const override {
    for (double& value : out) value = std::numeric_limits<double>::quiet_NaN();
  }

 private:
  static void write(MatrixView<double> action, std::size_t index, double value) {
    for (std::size_t d = 0; d < action.rows(); ++d) action(d, index) = value;
  }
  static std::vector<double> column(MatrixView<const double> matrix, std::size_t index) {
    std::vector<double> out;
    for (std::size_t d = 0; d < matrix.rows(); ++d) out.push_back(matrix(d, index));
    return out;
  }

  Choose choose_;
};

/// Pushes with all its might where the car is already going: gets any mountain car up the hill. The noise makes
/// episodes of different lengths.
inline FunctionPolicy pumping_policy(const Task& task) {
  const Range range = task.action.axes[0].range;
  return {"pumping", task, [range](std::span<const double> observation, double noise) {
            return observation.back() + 0.01 * noise < 0 ? range.low : range.high;
          }};
}

}  // namespace mercer

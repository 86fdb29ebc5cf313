#pragma once

#include <vector>

#include "mercer/rollout.hpp"

namespace mercer {

/// One dimension of an action with finite bounds, and what scales it to [-1, 1].
struct ScaledAxis {
  std::size_t dimension = 0;
  double middle = 0;
  double per_half = 1;  ///< 1 / half of the range
};
/// Those of a box; none for discrete actions.
std::vector<ScaledAxis> scaled_axes(const Space& action);

/// One number of each outcome.
template <class Of>
std::vector<double> numbers_of(std::span<const Outcome> outcomes, Of of) {
  std::vector<double> out;
  out.reserve(outcomes.size());
  for (const Outcome& one : outcomes) out.push_back(of(one));
  return out;
}

/// Adds up how the actions of many columns move, step by step. Nothing allocates after the constructor.
class MotionMeter {
 public:
  MotionMeter(const Task& task, std::size_t columns);

  /// The next actions of the first columns, as played.
  void add(MatrixView<const double> action);
  /// What is known of column `from` takes the place of column `to`.
  void move(std::size_t from, std::size_t to);
  /// Of a column whose episode had that many steps.
  Motion of(std::size_t column, std::size_t steps) const;
  /// Forgets everything.
  void reset();

 private:
  void add_axis(std::size_t axis, std::span<const double> action);
  void add_discrete(std::span<const double> action);

  bool discrete_;
  double dt_;
  std::vector<ScaledAxis> axes_;
  std::size_t columns_;
  bool first_ = true;
  std::vector<double> numbers_;
  MatrixView<double> sums_;       // of changes, saturated actions, squares and turns
  MatrixView<double> last_;       // scaled action of each axis
  MatrixView<double> direction_;  // +-1: of its last move above 1% of the range; 0 before any
};

/// Adds up how far the mean actions of two policies are apart in the states of many columns.
class DistanceMeter {
 public:
  DistanceMeter(const Space& action, std::size_t columns);

  /// Both actions of the first columns in their next state.
  void add(MatrixView<const double> one, MatrixView<const double> other);
  void move(std::size_t from, std::size_t to) { sums_[to] = sums_[from]; }
  double of(std::size_t column, std::size_t steps) const { return sums_[column] / static_cast<double>(steps); }

 private:
  bool discrete_;
  std::vector<ScaledAxis> axes_;
  std::vector<double> sums_;
};

}  // namespace mercer

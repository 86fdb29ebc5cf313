#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mercer {

/// Actions on a product of values along each dimension, the last dimension fastest, with the distance
/// ||a - b|| = sum over dimensions of |a_q - b_q| in the actions' own units.
class ActionMetric {
 public:
  /// Throws `bad_value` unless each dimension has values and they rise.
  explicit ActionMetric(std::span<const std::vector<double>> axes);

  std::size_t size() const { return size_; }
  /// Distance between the two actions farthest apart.
  double width() const { return width_; }
  /// The least L with |Q(a) - Q(b)| <= L ||a - b|| for all a and b: since a path along the axes is as long as the
  /// distance, that of neighbours. O(m dimensions). Infinite where two actions of one value differ.
  double steepest(std::span<const double> Q) const;
  /// At least the Wasserstein distance between two rows of probabilities, and the distance itself in one dimension:
  /// what both have stays, the rest goes in the order of a walk that turns back at each end. O(m dimensions).
  double moved(std::span<const double> p, std::span<const double> q) const;
  /// sum over dimensions of |E_p a_q - E_q a_q|, which is at most the Wasserstein distance.
  double mean_moved(std::span<const double> p, std::span<const double> q) const;

 private:
  double value(std::size_t action, std::size_t axis) const {
    return axes_[axis][action / strides_[axis] % axes_[axis].size()];
  }

  std::vector<std::vector<double>> axes_;
  std::vector<std::size_t> strides_, walk_;
  std::size_t size_ = 1;
  double width_ = 0;
};

}  // namespace mercer

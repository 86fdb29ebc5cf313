#include "certify/action_metric.hpp"

#include <algorithm>
#include <cmath>

#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {

ActionMetric::ActionMetric(std::span<const std::vector<double>> axes)
    : axes_(axes.begin(), axes.end()), strides_(axes.size()) {
  for (std::size_t d = axes_.size(); d-- > 0;) {
    if (axes_[d].empty() || !std::ranges::is_sorted(axes_[d])) {
      throw Error(ErrorCode::bad_value, "the atoms are not rising", "Sort the actions along each dimension");
    }
    strides_[d] = size_;
    size_ *= axes_[d].size();
    width_ += axes_[d].back() - axes_[d].front();
  }
  // Back and forth along the last dimension, one step of the one before it at each end, and so on.
  walk_.reserve(size_);
  for (std::size_t place = 0; place < size_; ++place) {
    std::size_t action = 0, before = 0;
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const std::size_t length = axes_[d].size(), digit = place / strides_[d] % length;
      action += (before % 2 == 0 ? digit : length - 1 - digit) * strides_[d];
      before = before * length + digit;
    }
    walk_.push_back(action);
  }
}

double ActionMetric::steepest(std::span<const double> Q) const {
  double most = 0;
  for (std::size_t a = 0; a < size_; ++a) {
    for (std::size_t d = 0; d < axes_.size(); ++d) {
      const std::size_t digit = a / strides_[d] % axes_[d].size();
      if (digit + 1 == axes_[d].size()) continue;
      const double rise = std::abs(Q[a + strides_[d]] - Q[a]);
      if (rise > 0) most = std::max(most, rise / (axes_[d][digit + 1] - axes_[d][digit]));
    }
  }
  return most;
}

double ActionMetric::moved(std::span<const double> p, std::span<const double> q) const {
  if (axes_.size() == 1) return wasserstein_on_atoms(p, q, axes_[0]);
  double cost = 0;
  std::size_t to = 0;  // place on the walk that still lacks mass
  double room = std::max(0.0, q[walk_[0]] - p[walk_[0]]);
  for (const std::size_t from : walk_) {
    double rest = p[from] - q[from];
    while (rest > 0) {
      while (room <= 0 && to + 1 < size_) {
        ++to;
        room = q[walk_[to]] - p[walk_[to]];
      }
      if (room <= 0) {  // rounding: all others are full
        cost += rest * width_;
        break;
      }
      const double part = std::min(rest, room);
      double far = 0;
      for (std::size_t d = 0; d < axes_.size(); ++d) far += std::abs(value(from, d) - value(walk_[to], d));
      cost += part * far;
      rest -= part;
      room -= part;
    }
  }
  return cost;
}

double ActionMetric::mean_moved(std::span<const double> p, std::span<const double> q) const {
  double sum = 0;
  for (std::size_t d = 0; d < axes_.size(); ++d) {
    double mean = 0;
    for (std::size_t a = 0; a < size_; ++a) mean += (p[a] - q[a]) * value(a, d);
    sum += std::abs(mean);
  }
  return sum;
}

}  // namespace mercer

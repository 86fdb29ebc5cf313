#pragma once

#include "mercer/certify.hpp"

namespace mercer {

/// One round of a bandit with rewards r: what two policies differ by, and what bounds it. Entries are for p = 1, 2 and
/// infinity.
struct BanditBounds {
  double difference = 0;    ///< |sum_a r(a) (pi1(a) - pi2(a))|
  double tv_span = 0;       ///< TV (max r - min r), the best
  double printed[3] = {};   ///< m^(1/q) M ||r||_p ||delta||_H^2: a norm is squared that should not be
  double rigorous[3] = {};  ///< m^(1/q) M ||r||_p ||delta||_H
  double centred[3] = {};   ///< the same with r minus its median, mean and mid-range
};
/// O(m^2). Throws `shape_mismatch`.
BanditBounds bandit_bounds(std::span<const double> r, std::span<const double> pi1, std::span<const double> pi2,
                           const ActionKernel& kernel);

}  // namespace mercer

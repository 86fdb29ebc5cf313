#pragma once

#include <span>

#include "mercer/embed.hpp"

namespace mercer {

/// Of two rows of a table, as `LatticeDistance` has their mean.
struct RowDistance {
  double w1 = 0, tv = 0;
};
RowDistance row_distance(std::span<const double> own, std::span<const double> other, const Grid& actions);

/// What `LatticeDistance::w1_kind` says for these actions.
W1Kind w1_kind(const Grid& actions);

}  // namespace mercer

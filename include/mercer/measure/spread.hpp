#pragma once

#include <cstdint>
#include <span>

#include "mercer/env/space.hpp"

namespace mercer {

/// Standard deviation of returns and how well it is known. Both intervals are estimates.
struct Spread {
  double std = 0;
  Range normal_theory;  ///< from chi-square: right only where returns are normal
  Range bootstrap;      ///< BCa
};
/// Three numbers or more; `confidence` in (0, 1).
Spread spread_of(std::span<const double> returns, double confidence = 0.95, std::uint64_t seed = 0);

}  // namespace mercer

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace mercer {

/// Least cost of moving `supply` to `demand`, whole numbers above 0 with equal sums; cost[i * demand.size() + j] for
/// one unit from i to j, not negative.
double least_transport_cost(std::span<const std::int64_t> supply, std::span<const std::int64_t> demand,
                            const std::vector<double>& cost);

}  // namespace mercer

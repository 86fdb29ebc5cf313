#pragma once

#include "mercer/basis/mixture.hpp"

namespace mercer {

/// k-means++: means are points far from each other, the first drawn by weight, each next by weight times squared
/// distance to the nearest so far. Variances are those of all points together.
Mixture spread_start(MatrixView<const double> points, std::span<const double> weights, std::size_t k,
                     const MixtureOptions& options);

}  // namespace mercer

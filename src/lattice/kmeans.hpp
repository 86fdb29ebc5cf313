#pragma once

#include <span>
#include <vector>

namespace mercer {

/// Edges half-way between the centres of k-means in one dimension, from the middles of the bins `start` on until no
/// datum changes its centre (at most 300 rounds, as scikit-learn). Sorted data makes a round O(k log N).
std::vector<double> kmeans_edges(std::span<const double> sorted, const std::vector<double>& start);

}  // namespace mercer

#include "lattice/kmeans.hpp"

#include <algorithm>

namespace mercer {

std::vector<double> kmeans_edges(std::span<const double> sorted, const std::vector<double>& start) {
  std::vector<double> sums{0};  // of the first k data
  for (const double number : sorted) sums.push_back(sums.back() + number);
  std::vector<double> edges = start;
  std::vector<std::size_t> ends, before;
  for (int round = 0; round < 300; ++round) {
    // A sorted cluster is a run of data between two edges.
    ends.assign(1, 0);
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) {
      const auto place = std::lower_bound(sorted.begin(), sorted.end(), edges[i]);
      ends.push_back(static_cast<std::size_t>(place - sorted.begin()));
    }
    ends.push_back(sorted.size());
    if (ends == before) break;
    before = ends;
    std::vector<double> centres;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const auto count = static_cast<double>(ends[i + 1] - ends[i]);
      // A centre without data stays in the middle of its bin.
      centres.push_back(count > 0 ? (sums[ends[i + 1]] - sums[ends[i]]) / count : (edges[i] + edges[i + 1]) / 2);
    }
    std::ranges::sort(centres);
    for (std::size_t i = 1; i + 1 < edges.size(); ++i) edges[i] = (centres[i - 1] + centres[i]) / 2;
  }
  return edges;
}

}  // namespace mercer

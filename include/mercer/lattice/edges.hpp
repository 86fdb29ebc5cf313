#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Bins of one dimension: [e_0, e_1), [e_1, e_2), ..., the last one closed. What lies outside belongs to the bin at
/// that end.
struct Edges {
  std::vector<double> values;  ///< rising, two or more; one more than there are bins
  std::size_t collapsed = 0;   ///< bins that were asked for and are not there because the data has ties

  std::size_t bins() const { return values.size() - 1; }
  /// The number of inner edges that are not above x: O(log bins), without a branch that data decides.
  std::size_t bin(double x) const {
    const double* inner = values.data() + 1;
    std::size_t count = bins() - 1;
    std::size_t found = 0;
    while (count > 0) {
      const std::size_t half = (count + 1) / 2;
      found += inner[found + half - 1] <= x ? half : 0;
      count -= half;
    }
    return found;
  }
  double centre(std::size_t bin) const { return (values[bin] + values[bin + 1]) / 2; }
  double width(std::size_t bin) const { return values[bin + 1] - values[bin]; }
};

/// How the edges of a dimension follow from its data.
enum class EdgeKind {
  quantile,  ///< equally many data in each bin, interpolated between neighbours: as scikit-learn's KBinsDiscretizer
  data_quantile,  ///< x_(ceil(N i / bins)): always data, and so carried along by every increasing map
  uniform,        ///< equal widths from the smallest to the largest
  kmeans,         ///< half-way between the centres of one-dimensional k-means, started from equal widths
  tempered,       ///< equal mass of t * (distribution of the data) + (1 - t) * (uniform)
};
struct EdgeRule {
  EdgeKind kind = EdgeKind::quantile;
  double temper = 0.5;  ///< t in [0, 1]: 1 is `quantile`, 0 is `uniform`
};

/// "quantile", "data-quantile", "uniform", "kmeans", "tempered:0.5". Throws `unknown_name`, `bad_value`,
/// `out_of_range`.
EdgeRule parse_edge_rule(std::string_view text);
std::string to_text(const EdgeRule& rule);

/// Edges for `bins` bins (1 to 2^20) of these numbers, at least one. Bins narrower than 1e-8 collapse; data that is all
/// equal gets one bin around it. O(N log N). Throws `out_of_range` or `not_finite`.
Edges make_edges(std::span<const double> data, std::size_t bins, const EdgeRule& rule);

/// For data of at most `bins` different values that are all whole numbers (up to 2^22, so that half of one is exact in
/// single precision): a bin of width one with each value in its middle, and one more for each gap between them. Nothing
/// for other data. O(N log bins).
std::optional<Edges> whole_number_edges(std::span<const double> data, std::size_t bins);

}  // namespace mercer

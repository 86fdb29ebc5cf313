#include "certify/discretisation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "mercer/error.hpp"

namespace mercer {
namespace {

double absolute_sum(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value);
  return sum;
}

// Bins are [q_{i-1}, q_i), the last one closed.
std::size_t bin_of(const BinAreas& areas, double x) {
  const auto inner = std::span(areas.edges).subspan(1, areas.edges.size() - 2);
  return static_cast<std::size_t>(std::ranges::upper_bound(inner, x) - inner.begin());
}

}  // namespace

BinAreas bin_areas(std::span<const double> data, std::size_t bins) {
  if (data.empty()) throw Error(ErrorCode::shape_mismatch, "there are no samples to bin", "Give at least one");
  require_in_range("the number of bins", static_cast<double>(bins), 1, 1 << 20, "Give at least one bin");
  std::vector<double> x(data.begin(), data.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      throw Error(ErrorCode::not_finite, fmt::format("sample {} is {}", i, x[i]),
                  "Remove values that are not finite numbers");
    }
  }
  std::ranges::sort(x);
  const std::size_t count = x.size();
  std::vector<double> below(count + 1);  // sums of the smallest
  for (std::size_t i = 0; i < count; ++i) below[i + 1] = below[i] + x[i];
  BinAreas areas;
  areas.edges.push_back(x.front());
  for (std::size_t i = 1; i <= bins; ++i) areas.edges.push_back(x[(count * i + bins - 1) / bins - 1]);
  const auto at_most = [&](double z) { return static_cast<std::size_t>(std::ranges::upper_bound(x, z) - x.begin()); };
  for (std::size_t i = 1; i <= bins; ++i) {
    const double left = areas.edges[i - 1], right = areas.edges[i], width = right - left;
    const std::size_t cl = at_most(left), cr = at_most(right);
    const double integral =
        (static_cast<double>(cl) * width + static_cast<double>(cr - cl) * right - (below[cr] - below[cl])) /
        static_cast<double>(count);
    areas.integral.push_back(integral);
    areas.ceil.push_back(integral - static_cast<double>(i) / static_cast<double>(bins) * width);
    areas.floor.push_back(integral - static_cast<double>(i - 1) / static_cast<double>(bins) * width);
  }
  return areas;
}

DiscretisationVolume discretisation_volume(MatrixView<const double> states, MatrixView<const double> actions,
                                           std::span<const std::size_t> state_bins,
                                           std::span<const std::size_t> action_bins) {
  if (states.cols() != actions.cols() || states.rows() != state_bins.size() || actions.rows() != action_bins.size()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} states and {} actions of {} and {} dimensions, and bins for {} and {}", states.cols(),
                            actions.cols(), states.rows(), actions.rows(), state_bins.size(), action_bins.size()),
                "Give one action for each state, and bins for each dimension");
  }
  std::vector<BinAreas> areas;
  for (std::size_t d = 0; d < states.rows(); ++d) areas.push_back(bin_areas(states.row(d), state_bins[d]));
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> steps;  // of each cell; bins without width hold none
  for (std::size_t t = 0; t < states.cols(); ++t) {
    std::vector<std::size_t> cell;
    for (std::size_t d = 0; d < states.rows(); ++d) cell.push_back(bin_of(areas[d], states(d, t)));
    steps[cell].push_back(t);
  }
  DiscretisationVolume volume;
  std::vector<double> played;
  for (const auto& [cell, inside] : steps) {
    double product = 1;
    for (std::size_t d = 0; d < states.rows(); ++d) product *= std::abs(areas[d].ceil[cell[d]]);
    // The sum over products of action bins is the product of the sums.
    for (std::size_t d = 0; d < actions.rows() && product > 0; ++d) {
      played.clear();
      for (const std::size_t t : inside) played.push_back(actions(d, t));
      product *= absolute_sum(bin_areas(played, action_bins[d]).ceil);
    }
    volume.fixed += product;
  }
  return volume;
}

double distribution_band(std::size_t trajectories, double delta) {
  require_in_range("trajectories", static_cast<double>(trajectories), 1, 1e15, "Give at least one");
  require_in_range("delta", delta, 1e-300, 1, "0.05 is usual");
  const auto N = static_cast<double>(trajectories);
  const double k = std::ceil(std::sqrt(N));
  return std::sqrt(std::log(2 * k / delta) / (2 * N)) + 1 / k;
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "view/squares.hpp"
#include "view/view.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_slopes = 500;
constexpr double reach = 0.25;  // of a spread, to either side: discrete actions change there as well

void find_spread(MatrixView<const double> observations, Plane& plane) {
  const auto count = static_cast<double>(observations.cols());
  for (std::size_t d = 0; d < observations.rows(); ++d) {
    const auto row = observations.row(d);
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / count;
    double squares = 0;
    for (const double value : row) squares += (value - mean) * (value - mean) / count;
    // What differs by rounding alone does not move.
    const double spread = std::sqrt(squares);
    plane.mean.push_back(mean);
    plane.spread.push_back(spread > 1e-9 * std::max(1.0, std::abs(mean)) ? spread : 0);
  }
}

// The mean of g g^T over evenly picked states.
Eigen::MatrixXd mean_square_slope(const Policy& policy, MatrixView<const double> seen, const Plane& plane,
                                  std::size_t output) {
  const std::size_t dimensions = seen.rows(), count = std::min(most_slopes, seen.cols());
  Eigen::MatrixXd slopes(dimensions, count);
  std::vector<double> moved(dimensions * 2 * count);
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (std::size_t e = 0; e < dimensions; ++e) {
      for (std::size_t i = 0; i < 2 * count; ++i) {
        const double step = e == d ? (i < count ? reach : -reach) * plane.spread[d] : 0;
        moved[e * 2 * count + i] = seen(e, (i % count) * seen.cols() / count) + step;
      }
    }
    const std::vector<double> actions = slice_actions(policy, {moved.data(), dimensions, 2 * count}, output);
    for (std::size_t i = 0; i < count; ++i) {
      slopes(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(i)) =
          (actions[i] - actions[count + i]) / (2 * reach);
    }
  }
  return slopes * slopes.transpose() / static_cast<double>(count);
}

// Where visited states lie along a direction.
std::vector<double> along(const Plane& plane, const std::vector<double>& direction, MatrixView<const double> seen) {
  std::vector<double> places(seen.cols());
  for (std::size_t d = 0; d < seen.rows(); ++d) {
    if (plane.spread[d] == 0) continue;
    for (std::size_t i = 0; i < seen.cols(); ++i) {
      places[i] += direction[d] * (seen(d, i) - plane.mean[d]) / plane.spread[d];
    }
  }
  return places;
}

// The sign is free: the largest part counts upwards.
std::vector<double> unit_vector(const Eigen::MatrixXd& vectors, Eigen::Index column) {
  std::vector<double> out(vectors.col(column).begin(), vectors.col(column).end());
  const auto largest = std::ranges::max_element(out, {}, [](double part) { return std::abs(part); });
  const double sign = *largest < 0 ? -1 : 1;
  for (double& part : out) part *= sign;
  return out;
}

}  // namespace

std::optional<Plane> action_plane(const Policy& policy, const Visited& visited, std::size_t output) {
  const auto seen = visited.observation_view();
  Plane plane;
  find_spread(seen, plane);
  if (std::ranges::count_if(plane.spread, [](double one) { return one > 0; }) < 2) return std::nullopt;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(mean_square_slope(policy, seen, plane, output));
  const Eigen::Index last = solved.eigenvalues().size() - 1;
  const double all = solved.eigenvalues().sum();
  if (!(all > 0)) return std::nullopt;
  plane.first = unit_vector(solved.eigenvectors(), last);
  plane.second = unit_vector(solved.eigenvectors(), last - 1);
  plane.share = std::min(1.0, (solved.eigenvalues()[last] + std::max(0.0, solved.eigenvalues()[last - 1])) / all);
  constexpr double wide = std::numeric_limits<double>::max();
  const auto range = [&](const std::vector<double>& direction) {
    const Range found = near_range(along(plane, direction, seen), {-wide, wide});
    return found.high < wide ? found : Range{-1, 1};
  };
  plane.s = range(plane.first);
  plane.t = range(plane.second);
  return plane;
}

std::string direction_words(const std::vector<double>& direction, const std::vector<Axis>& observation) {
  constexpr std::size_t most = 4;
  std::vector<std::size_t> order(direction.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t d) { return std::abs(direction[d]); });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const double part = direction[order[i]];
    if (std::abs(part) < 0.05) break;
    const char* sign = i == 0 ? "" : part < 0 ? " - " : " + ";
    text += fmt::format("{}{:.2g} {}", sign, i == 0 ? part : std::abs(part), observation[order[i]].name);
  }
  return text;
}

std::vector<double> plane_observations(const Plane& plane, std::size_t n) {
  std::vector<double> out(plane.mean.size() * n * n);
  for (std::size_t d = 0; d < plane.mean.size(); ++d) {
    for (std::size_t i = 0; i < n * n; ++i) {
      const double s = middle(plane.s, n, i % n), t = middle(plane.t, n, i / n);
      out[d * n * n + i] = plane.mean[d] + plane.spread[d] * (s * plane.first[d] + t * plane.second[d]);
    }
  }
  return out;
}

std::vector<double> plane_visits(const Plane& plane, const Visited& visited, std::size_t n) {
  const auto seen = visited.observation_view();
  return smooth_counts(along(plane, plane.first, seen), along(plane, plane.second, seen), plane.s, plane.t, n);
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "measure/weights.hpp"
#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// A number with the mass that it adds to the difference of the distribution functions.
struct Jump {
  double place;
  double mass;
};

void add_jumps(std::span<const double> x, std::span<const double> weights, double sign, std::vector<Jump>& jumps) {
  if (x.empty() || (!weights.empty() && weights.size() != x.size())) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} numbers with {} weights", x.size(), weights.size()),
                "Give at least one number, and a weight for each or for none");
  }
  const double total = total_weight(weights, x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      throw Error(ErrorCode::not_finite, fmt::format("number {} is {}", i, x[i]),
                  "Remove values that are not finite numbers");
    }
    jumps.push_back({x[i], sign * (weights.empty() ? 1 : weights[i]) / total});
  }
}

}  // namespace

double wasserstein(std::span<const double> x, std::span<const double> y, std::span<const double> wx,
                   std::span<const double> wy) {
  std::vector<Jump> jumps;
  jumps.reserve(x.size() + y.size());
  add_jumps(x, wx, 1, jumps);
  add_jumps(y, wy, -1, jumps);
  std::ranges::stable_sort(jumps, {}, &Jump::place);
  double distance = 0, difference = 0;
  for (std::size_t i = 0; i + 1 < jumps.size(); ++i) {
    difference += jumps[i].mass;
    distance += std::abs(difference) * (jumps[i + 1].place - jumps[i].place);
  }
  return distance;
}

double wasserstein_on_atoms(std::span<const double> p, std::span<const double> q, std::span<const double> atoms) {
  double distance = 0, difference = 0;
  for (std::size_t j = 0; j + 1 < atoms.size(); ++j) {
    difference += p[j] - q[j];
    distance += std::abs(difference) * (atoms[j + 1] - atoms[j]);
  }
  return distance;
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  double sum = 0;
  for (std::size_t j = 0; j < p.size(); ++j) sum += std::abs(p[j] - q[j]);
  return sum / 2;
}

TableDistance table_distance(std::span<const double> p, std::span<const double> q, std::span<const double> atoms,
                             std::span<const double> weights) {
  const std::size_t cols = atoms.size(), rows = cols == 0 ? 0 : p.size() / cols;
  if (rows == 0 || p.size() != rows * cols || q.size() != p.size() || (!weights.empty() && weights.size() != rows)) {
    throw Error(
        ErrorCode::shape_mismatch,
        fmt::format("tables of {} and {} numbers, {} atoms, {} weights", p.size(), q.size(), cols, weights.size()),
        "Give tables of the same rows, an atom for each column and a weight for each row or for none");
  }
  TableDistance distance;
  double total = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto own = p.subspan(r * cols, cols), other = q.subspan(r * cols, cols);
    const double weight = weights.empty() ? 1 : weights[r], tv = total_variation(own, other);
    total += weight;
    distance.w1 += weight * wasserstein_on_atoms(own, other, atoms);
    distance.tv += weight * tv;
    distance.most_tv = std::max(distance.most_tv, tv);
  }
  if (!(total > 0))
    throw Error(ErrorCode::bad_distribution, "all rows have weight 0", "Give at least one weight above 0");
  distance.w1 /= total;
  distance.tv /= total;
  return distance;
}

}  // namespace mercer

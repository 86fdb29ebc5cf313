#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "basis/functions/index_limits.hpp"
#include "mercer/error.hpp"
#include "mercer/functions.hpp"

namespace mercer {
namespace {

// What is left to spend on the axes after the present one: a sum or a product.
std::size_t budget_of(const IndexSet& set) { return set.rule == IndexRule::total ? set.degree : set.degree + 1; }
std::size_t spend(const IndexSet& set, std::size_t budget, std::size_t k) {
  return set.rule == IndexRule::total ? budget - k : budget / (k + 1);
}
std::size_t most_frequency(const IndexSet& set, std::size_t budget, std::size_t d) {
  const std::size_t most = set.rule == IndexRule::total ? budget : budget - 1;
  return set.limits.empty() ? most : std::min<std::size_t>(most, set.limits[d]);
}

void list_from(const IndexSet& set, std::size_t d, std::size_t budget, std::vector<std::uint8_t>& index,
               std::vector<std::uint8_t>& out) {
  if (d == set.dimensions()) {
    out.insert(out.end(), index.begin(), index.end());
    return;
  }
  const std::size_t most = most_frequency(set, budget, d);
  const std::size_t functions = set.periodic[d] != 0 ? 2 * most : most;
  for (std::size_t k = 0; k <= functions; ++k) {
    index[d] = static_cast<std::uint8_t>(k);
    list_from(set, d + 1, spend(set, budget, frequency(k, set.periodic[d] != 0)), index, out);
  }
}

}  // namespace

std::size_t count_indices(const IndexSet& set, std::size_t most) {
  std::map<std::size_t, std::size_t> ways{{budget_of(set), 1}};  // of spending down to a budget
  for (std::size_t d = 0; d < set.dimensions(); ++d) {
    std::map<std::size_t, std::size_t> next;
    for (const auto& [budget, count] : ways) {
      for (std::size_t k = 0; k <= most_frequency(set, budget, d); ++k) {
        std::size_t& total = next[spend(set, budget, k)];
        total = std::min(most, total + (k > 0 && set.periodic[d] != 0 ? 2 * count : count));
      }
    }
    ways = std::move(next);
  }
  std::size_t total = 0;
  for (const auto& [budget, count] : ways) total = std::min(most, total + count);
  return total;
}

std::size_t largest_degree(IndexSet set, std::size_t most) {
  while (set.degree > 0 && count_indices(set, most + 1) > most) --set.degree;
  return set.degree;
}

std::vector<std::uint8_t> list_indices(const IndexSet& set) {
  require_in_range("the degree", static_cast<double>(set.degree), 0, 16, "Take a smaller one");
  require_in_range("the number of axes", static_cast<double>(set.dimensions()), 1, most_coordinates,
                   fmt::format("Give 1 to {} axes", most_coordinates));
  if (!set.limits.empty() && set.limits.size() != set.dimensions()) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} limits of degree for {} axes", set.limits.size(), set.dimensions()),
                "Give one for each axis, or none");
  }
  if (count_indices(set, most_indices + 1) > most_indices) {
    throw Error(ErrorCode::too_large,
                fmt::format("degree {} in {} dimensions makes more than {} functions", set.degree, set.dimensions(),
                            most_indices),
                fmt::format("Lower the degree (--degree) to {} or less, or use ridges, which have none",
                            largest_degree(set, most_indices)));
  }
  std::vector<std::uint8_t> index(set.dimensions()), out;
  list_from(set, 0, budget_of(set), index, out);
  return out;
}

double sobolev_eigenvalue(std::span<const std::uint8_t> index, std::span<const std::uint8_t> periodic,
                          double smoothness) {
  double lambda = 1;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const auto k = static_cast<double>(frequency(index[d], periodic[d] != 0));
    lambda *= std::pow(1 + k * k, -smoothness);
  }
  return lambda;
}

double rkhs_norm(std::span<const double> coefficients, std::span<const double> eigenvalues) {
  double sum = 0;
  for (std::size_t j = 0; j < coefficients.size(); ++j) sum += coefficients[j] * coefficients[j] / eigenvalues[j];
  return std::sqrt(sum);
}

}  // namespace mercer

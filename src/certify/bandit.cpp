#include "certify/bandit.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/error.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// The p-norm of r - c for p = 1, 2 and infinity.
double norm(std::span<const double> r, double c, int which) {
  double sum = 0;
  for (const double value : r) {
    const double size = std::abs(value - c);
    sum = which == 2 ? std::max(sum, size) : sum + (which == 0 ? size : size * size);
  }
  return which == 1 ? std::sqrt(sum) : sum;
}

}  // namespace

BanditBounds bandit_bounds(std::span<const double> r, std::span<const double> pi1, std::span<const double> pi2,
                           const ActionKernel& kernel) {
  const std::size_t m = r.size();
  if (m == 0 || pi1.size() != m || pi2.size() != m || kernel.m != m) {
    throw Error(ErrorCode::shape_mismatch, "rewards, policies and kernel of a bandit differ in size",
                "Give as many of each as there are arms");
  }
  std::vector<double> delta(m), sorted(r.begin(), r.end());
  for (std::size_t a = 0; a < m; ++a) delta[a] = pi2[a] - pi1[a];
  std::ranges::sort(sorted);
  BanditBounds bounds;
  bounds.difference = std::abs(std::inner_product(r.begin(), r.end(), delta.begin(), 0.0));
  bounds.tv_span = total_variation(pi1, pi2) * (sorted.back() - sorted.front());
  const double squared = squared_norms(kernel, kernel_coefficients(kernel, delta), 0, kernel.size())[0];
  const double mean = std::accumulate(r.begin(), r.end(), 0.0) / static_cast<double>(m);
  const double centre[3] = {sorted[m / 2], mean, (sorted.front() + sorted.back()) / 2};
  const double one_over_q[3] = {0, 0.5, 1};
  for (int p = 0; p < 3; ++p) {
    const double scale = std::pow(static_cast<double>(m), one_over_q[p]) * kernel.M;
    bounds.printed[p] = scale * norm(r, 0, p) * squared;
    bounds.rigorous[p] = scale * norm(r, 0, p) * std::sqrt(squared);
    bounds.centred[p] = scale * norm(r, centre[p], p) * std::sqrt(squared);
  }
  return bounds;
}

}  // namespace mercer

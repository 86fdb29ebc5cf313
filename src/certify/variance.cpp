#include "certify/variance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/error.hpp"

namespace mercer {
namespace {

double mean(std::span<const double> x, std::span<const double> beta) {
  return std::inner_product(x.begin(), x.end(), beta.begin(), 0.0);
}

double covariance(std::span<const double> x, std::span<const double> y, std::span<const double> beta) {
  const double mx = mean(x, beta), my = mean(y, beta);
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += beta[i] * (x[i] - mx) * (y[i] - my);
  return sum;
}

double logistic_slope(double x) {
  const double falling = std::exp(-std::abs(x));
  return falling / ((1 + falling) * (1 + falling));
}

std::vector<double> weights(std::span<const double> beta, std::size_t size) {
  if (beta.empty()) return std::vector<double>(size, 1 / static_cast<double>(size));
  const double total = std::accumulate(beta.begin(), beta.end(), 0.0);
  if (!(std::ranges::min(beta) >= 0) || !(total > 0) || !std::isfinite(total)) {
    throw Error(ErrorCode::bad_distribution, "the weights of (s, a) are negative or sum to nothing",
                "Give weights of 0 or more, one of them above");
  }
  std::vector<double> normal(beta.begin(), beta.end());
  for (double& weight : normal) weight /= total;
  return normal;
}

double largest_step(const TabularComparison& c, const TabularSolution& critic) {
  double largest = 0;
  for (std::size_t s = 0; s < c.mdp.n; ++s) largest = std::max(largest, c.TV[s] * critic.span_A[s]);
  return largest;
}

}  // namespace

VarianceCheck variance_check(const TabularComparison& c, std::span<const double> raw, std::span<const double> beta) {
  const std::size_t size = c.mdp.n * c.mdp.m;
  if (raw.empty()) raw = c.pi2;
  if (raw.size() != size || (!beta.empty() && beta.size() != size)) {
    throw Error(ErrorCode::shape_mismatch, "the raw table or the weights differ in size from the policies",
                "Give n x m numbers");
  }
  const std::vector<double> w = weights(beta, size);
  std::vector<double> eps(size), squares(size);
  for (std::size_t i = 0; i < size; ++i) {
    eps[i] = c.pi1[i] - raw[i];
    squares[i] = eps[i] * eps[i];
  }
  VarianceCheck v;
  v.E_eps = mean(eps, w);
  v.E_eps2 = mean(squares, w);
  v.V_eps = covariance(eps, eps, w);
  v.V_pi = covariance(c.pi1, c.pi1, w);
  v.V_raw = covariance(raw, raw, w);
  v.covariance = covariance(raw, eps, w);
  v.V_Q1 = covariance(c.policy1.Q, c.policy1.Q, w);
  v.V_Q2 = covariance(c.policy2.Q, c.policy2.Q, w);
  v.slope1 = logistic_slope(c.policy1.eta);
  v.slope2 = logistic_slope(c.policy2.eta);
  v.condition1 = v.slope2 <= v.slope1;
  v.condition2 = std::sqrt(v.E_eps2 / 3) >= v.E_eps;
  v.residual = std::abs(v.V_pi - v.slope1 * v.slope1 * v.V_Q1) / v.V_pi;
  v.condition3 = v.residual <= 0.5;
  v.sd_difference = std::abs(std::sqrt(v.V_Q1) - std::sqrt(v.V_Q2));
  const double later = c.mdp.gamma / (1 - c.mdp.gamma);
  v.sd_bound1 = later * largest_step(c, c.policy1);
  v.sd_bound2 = later * largest_step(c, c.policy2);
  return v;
}

}  // namespace mercer

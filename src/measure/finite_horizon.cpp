#include "mercer/measure/finite_horizon.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "mercer/core/error.hpp"

namespace mercer {

FiniteHorizon solve_finite_horizon(const SparseMdp& mdp, std::span<const double> pi, std::size_t T, double gamma) {
  require_in_range("the horizon", static_cast<double>(T), 1, 1e9, "Give the number of steps");
  require_in_range("the discount", gamma, 0, 1, "Give a discount from 0 to 1");
  if (static_cast<double>(T) * static_cast<double>(mdp.n) > 1e8) {
    throw Error(ErrorCode::too_large, fmt::format("{} steps in {} states; legal: up to 10^8 together", T, mdp.n),
                "Take a shorter horizon, or the discounted form");
  }
  const std::size_t n = mdp.n;
  const PolicyChain chain = policy_chain(mdp, pi);
  FiniteHorizon solution{T, gamma, 0, std::vector<double>((T + 1) * n), std::vector<double>(T * n)};
  for (std::size_t t = T; t-- > 0;) {
    const double* const later = &solution.V[(t + 1) * n];
    for (std::size_t s = 0; s < n; ++s) {
      double sum = 0;
      for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
        sum += chain.probability[i] * later[chain.next[i]];
      }
      solution.V[t * n + s] = chain.r[s] + gamma * sum;
    }
  }
  std::ranges::copy(mdp.mu, solution.visits.begin());
  for (std::size_t t = 1; t < T; ++t) {
    const double* const before = &solution.visits[(t - 1) * n];
    double* const now = &solution.visits[t * n];
    for (std::size_t s = 0; s < n; ++s) {
      for (std::size_t i = chain.offsets[s]; i < chain.offsets[s + 1]; ++i) {
        now[chain.next[i]] += before[s] * chain.probability[i];
      }
    }
  }
  for (std::size_t s = 0; s < n; ++s) solution.eta += mdp.mu[s] * solution.V[s];
  return solution;
}

}  // namespace mercer

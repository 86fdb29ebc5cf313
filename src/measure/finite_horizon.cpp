#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/mdp.hpp"

namespace mercer {
namespace {

// Errors of one step back in time: what its roundings add at most, and by how much it can stretch older errors.
struct StepError {
  double added = 0, stretch = 0;
};

StepError step_error(const SparseMdp& mdp, std::span<const double> pi, std::span<const double> later, double gamma) {
  StepError error;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    double size = 0, mass = 0;
    std::size_t roundings = 2 * mdp.m + 6;
    for (std::size_t sa = s * mdp.m; sa < (s + 1) * mdp.m; ++sa) {
      double next = 0, own = 0;
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        next += mdp.probability[i] * std::abs(later[mdp.next[i]]);
        own += mdp.probability[i];
      }
      size += pi[sa] * (std::abs(mdp.r[sa]) + gamma * next);
      mass += pi[sa] * own;
      roundings += mdp.offsets[sa + 1] - mdp.offsets[sa];
    }
    // Twice gamma_k: the sums here are rounded, too.
    const double relative = static_cast<double>(roundings) * std::numeric_limits<double>::epsilon();
    error.added = std::max(error.added, relative * size);
    error.stretch = std::max(error.stretch, gamma * mass * (1 + relative));
  }
  return error;
}

}  // namespace

FiniteHorizon solve_finite_horizon(const SparseMdp& mdp, std::span<const double> pi, std::size_t T, double gamma) {
  require_in_range("the horizon", static_cast<double>(T), 1, 1e9, "Give the number of steps");
  require_in_range("the discount", gamma, 0, 1, "Give a discount from 0 to 1");
  if (static_cast<double>(T) * static_cast<double>(mdp.n) > 1e8) {
    throw Error(ErrorCode::too_large, fmt::format("{} steps in {} states; legal: up to 10^8 together", T, mdp.n),
                "Take a shorter horizon, or the discounted form");
  }
  const std::size_t n = mdp.n;
  const PolicyChain chain = policy_chain(mdp, pi);
  FiniteHorizon solution{T, gamma, 0, 0, std::vector<double>((T + 1) * n), std::vector<double>(T * n)};
  for (std::size_t t = T; t-- > 0;) {
    const double* const later = &solution.V[(t + 1) * n];
    const StepError step = step_error(mdp, pi, {later, n}, gamma);
    solution.eta_error = step.stretch * solution.eta_error + step.added;
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
  double size = 0;
  for (std::size_t s = 0; s < n; ++s) {
    solution.eta += mdp.mu[s] * solution.V[s];
    size += mdp.mu[s] * std::abs(solution.V[s]);
  }
  const double roundings = static_cast<double>(n + 4) * std::numeric_limits<double>::epsilon();
  solution.eta_error = (solution.eta_error + roundings * size) * (1 + roundings);
  return solution;
}

}  // namespace mercer

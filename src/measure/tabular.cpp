#include "mercer/measure/tabular.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "measure/discounted_system.hpp"

namespace mercer {
namespace {

// gamma_k = k u / (1 - k u) bounds the relative error of k roundings; u of long double.
long double rounding(std::size_t count) {
  const long double ku = static_cast<long double>(count) * std::numeric_limits<long double>::epsilon() / 2;
  return ku / (1 - ku);
}

void fill_critic(const SparseMdp& mdp, TabularSolution& solution) {
  const std::size_t n = mdp.n, m = mdp.m;
  solution.Q.resize(n * m);
  solution.A.resize(n * m);
  solution.span_A.resize(n);
  for (std::size_t s = 0; s < n; ++s) {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::size_t sa = s * m; sa < (s + 1) * m; ++sa) {
      double next = 0;
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        next += mdp.probability[i] * solution.V[mdp.next[i]];
      }
      solution.Q[sa] = mdp.r[sa] + mdp.gamma * next;
      const double advantage = solution.A[sa] = solution.Q[sa] - solution.V[s];
      low = std::min(low, advantage);
      high = std::max(high, advantage);
      solution.eps_bar = std::max(solution.eps_bar, std::abs(advantage));
    }
    solution.span_A[s] = high - low;
  }
}

}  // namespace

double value_error(const SparseMdp& mdp, std::span<const double> pi, std::span<const double> V) {
  const long double gamma = mdp.gamma;
  long double worst = 0, most_mass = 0;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    long double sum = -static_cast<long double>(V[s]), size = std::abs(V[s]), mass = 0;
    std::size_t count = 2 * mdp.m + 6;
    for (std::size_t sa = s * mdp.m; sa < (s + 1) * mdp.m; ++sa) {
      long double next = 0, next_size = 0, next_mass = 0;
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        const long double p = mdp.probability[i];
        next += p * V[mdp.next[i]];
        next_size += p * std::abs(V[mdp.next[i]]);
        next_mass += p;
      }
      sum += pi[sa] * (mdp.r[sa] + gamma * next);
      size += pi[sa] * (std::abs(mdp.r[sa]) + gamma * next_size);
      mass += pi[sa] * next_mass;
      count += mdp.offsets[sa + 1] - mdp.offsets[sa];
    }
    const long double slack = rounding(count);
    worst = std::max(worst, std::abs(sum) + slack * size);
    most_mass = std::max(most_mass, mass * (1 + slack));
  }
  // Rows of doubles sum to one only nearly; what counts is by how much a step contracts.
  const long double contraction = 1 - gamma * most_mass;
  if (contraction <= 0) return HUGE_VAL;
  const long double error = worst / contraction;
  return std::nextafter(static_cast<double>(error), HUGE_VAL);
}

TabularSolution solve_tabular(const SparseMdp& mdp, std::span<const double> pi, const TabularOptions& options) {
  const PolicyChain chain = policy_chain(mdp, pi);
  const DiscountedSystem system(chain, mdp.gamma, options);
  TabularSolution solution;
  solution.V = system.solve(chain.r, false);
  solution.d = system.solve(mdp.mu, true);
  for (double& visits : solution.d) visits = std::max(0.0, (1 - mdp.gamma) * visits);
  fill_critic(mdp, solution);
  long double eta = 0, size = 0;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    eta += static_cast<long double>(mdp.mu[s]) * solution.V[s];
    size += static_cast<long double>(mdp.mu[s]) * std::abs(solution.V[s]);
  }
  solution.eta = static_cast<double>(eta);
  solution.V_error = value_error(mdp, pi, solution.V);
  const long double error = solution.V_error * (1 + rounding(mdp.n + 4)) + rounding(mdp.n + 4) * size +
                            std::numeric_limits<double>::epsilon() * std::abs(eta);
  solution.eta_error = std::nextafter(static_cast<double>(error), HUGE_VAL);
  return solution;
}

}  // namespace mercer

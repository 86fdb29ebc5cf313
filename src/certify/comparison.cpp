#include <algorithm>
#include <cmath>
#include <numeric>

#include "mercer/certify.hpp"

namespace mercer {
namespace {

void fill_distances(TabularComparison& c) {
  const std::size_t n = c.mdp.n, m = c.mdp.m;
  c.delta.resize(n * m);
  c.coupled.resize(n * m);
  c.TV.resize(n);
  for (std::size_t s = 0; s < n; ++s) {
    const bool over = c.mdp.is_terminal(s);
    for (std::size_t i = s * m; i < (s + 1) * m; ++i) {
      c.delta[i] = over ? 0 : c.pi2[i] - c.pi1[i];
      c.coupled[i] = over ? c.pi1[i] : std::min(c.pi1[i], c.pi2[i]);
      c.TV[s] += std::abs(c.delta[i]) / 2;
    }
    c.alpha = std::max(c.alpha, c.TV[s]);
  }
  const Range rewards = reward_range(c.mdp);
  c.delta_r = rewards.high - rewards.low;
  c.r_M = std::max(std::abs(rewards.low), std::abs(rewards.high));
}

// P2 - P1 as a dense matrix.
std::vector<double> chain_difference(const PolicyChain& chain1, const PolicyChain& chain2) {
  std::vector<double> E(chain1.n * chain1.n);
  for (std::size_t s = 0; s < chain1.n; ++s) {
    for (std::size_t i = chain2.offsets[s]; i < chain2.offsets[s + 1]; ++i) {
      E[s * chain1.n + chain2.next[i]] += chain2.probability[i];
    }
    for (std::size_t i = chain1.offsets[s]; i < chain1.offsets[s + 1]; ++i) {
      E[s * chain1.n + chain1.next[i]] -= chain1.probability[i];
    }
  }
  return E;
}

// Columns of the unfolding are the rows (s, a) of P, so its largest singular value is that of their Gram matrix.
void fill_unfolding(TabularComparison& c) {
  const SparseMdp& mdp = c.mdp;
  std::vector<double> rows(mdp.n * mdp.m * mdp.n);
  double squares = 0;
  for (std::size_t sa = 0; sa < mdp.n * mdp.m; ++sa) {
    for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
      rows[sa * mdp.n + mdp.next[i]] = mdp.probability[i];
      squares += mdp.probability[i] * mdp.probability[i];
    }
  }
  c.T3_frobenius = std::sqrt(squares);
  c.T3_spectral = spectral_norm(MatrixView<const double>(rows.data(), mdp.n * mdp.m, mdp.n));
}

void fill_long_run(TabularComparison& c) {
  const std::size_t n = c.mdp.n;
  const PolicyChain chain1 = policy_chain(c.mdp, c.pi1), chain2 = policy_chain(c.mdp, c.pi2);
  c.long_run1 = long_run(chain1);
  c.long_run2 = long_run(chain2);
  if (!c.long_run_applicable()) return;
  const std::vector<double> E = chain_difference(chain1, chain2);
  c.E_row_l1.resize(n);
  c.rho2_E.resize(n);
  c.rho1_E.resize(n);
  for (std::size_t s = 0; s < n; ++s) {
    for (std::size_t to = 0; to < n; ++to) {
      const double change = E[s * n + to];
      c.E_row_l1[s] += std::abs(change);
      c.rho2_E[to] += c.long_run2.rho[s] * change;
      c.rho1_E[to] -= c.long_run1.rho[s] * change;
    }
  }
  c.E_spectral = spectral_norm(MatrixView<const double>(E.data(), n, n));
  c.delta_norms = schatten_norms(MatrixView<const double>(c.delta.data(), n, c.mdp.m));
  if (n * c.mdp.m * n <= std::size_t{1} << 27) fill_unfolding(c);
}

}  // namespace

TabularComparison compare_rows(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2) {
  TabularComparison c;
  c.mdp = mdp;
  c.pi1 = checked_policy(mdp, pi1, "policy 1");
  c.pi2 = checked_policy(mdp, pi2, "policy 2");
  fill_distances(c);
  return c;
}

TabularComparison compare(const SparseMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options) {
  TabularComparison c = compare_rows(mdp, pi1, pi2);
  c.policy1 = solve_tabular(mdp, c.pi1, options.solver);
  c.policy2 = solve_tabular(mdp, c.pi2, options.solver);
  const PolicyChain together = policy_chain(mdp, c.coupled);
  const std::vector<double> parted = solve_discounted(together, mdp.gamma, c.TV, false, options.solver);
  c.E_gamma_tau = std::clamp(std::inner_product(mdp.mu.begin(), mdp.mu.end(), parted.begin(), 0.0), 0.0, 1.0);
  if (options.long_run) fill_long_run(c);
  return c;
}

TabularComparison compare(const TabularMdp& mdp, std::span<const double> pi1, std::span<const double> pi2,
                          const ComparisonOptions& options) {
  return compare(sparse_mdp(mdp), pi1, pi2, options);
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "mercer/core/distribution.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/random.hpp"
#include "mercer/env/tabular.hpp"

namespace mercer {
namespace {

void check_size(std::size_t size, std::size_t expected, const std::string& what) {
  if (size == expected) return;
  throw Error(ErrorCode::shape_mismatch, fmt::format("{} has {} numbers and needs {}", what, size, expected),
              "Give P as [state][action][next state], r as [state][action] and mu as [state]");
}

}  // namespace

void check_mdp(const TabularMdp& mdp, const std::string& where) {
  require_in_range(where + ": number of states", static_cast<double>(mdp.n), 1, 1e6, "Give at least one state");
  require_in_range(where + ": number of actions", static_cast<double>(mdp.m), 1, 1e6, "Give at least one action");
  require_in_range(where + ": gamma", mdp.gamma, 0, 1, "Give a discount from 0 to 1");
  require_in_range(where + ": horizon", mdp.horizon, 1, 1e9, "Give the number of steps of an episode");
  check_size(mdp.P.size(), mdp.n * mdp.m * mdp.n, where + ": P");
  check_size(mdp.r.size(), mdp.n * mdp.m, where + ": r");
  check_size(mdp.mu.size(), mdp.n, where + ": mu");
  if (!mdp.terminal.empty()) check_size(mdp.terminal.size(), mdp.n, where + ": terminal");
  check_distribution(mdp.mu, where + ": mu");
  for (std::size_t s = 0; s < mdp.n; ++s) {
    for (std::size_t a = 0; a < mdp.m; ++a) {
      check_distribution(std::span(mdp.P).subspan((s * mdp.m + a) * mdp.n, mdp.n),
                         fmt::format("{}: P[{}][{}]", where, s, a));
      if (std::isfinite(mdp.r[s * mdp.m + a])) continue;
      throw Error(ErrorCode::not_finite, fmt::format("{}: r[{}][{}] is {}", where, s, a, mdp.r[s * mdp.m + a]),
                  "Give a finite reward");
    }
  }
}

TabularMdp make_chain(std::size_t n, double alpha, std::uint32_t horizon) {
  TabularMdp mdp{n,       2, std::vector<double>(n * 2 * n), std::vector<double>(n * 2), std::vector<double>(n), 0.99,
                 horizon, {}};
  mdp.mu[0] = 1;
  mdp.r[(n - 1) * 2] = mdp.r[(n - 1) * 2 + 1] = 1;
  for (std::size_t s = 0; s < n; ++s) {
    const std::size_t left = s == 0 ? 0 : s - 1;
    const std::size_t right = std::min(s + 1, n - 1);
    for (std::size_t a = 0; a < 2; ++a) {
      double* const row = &mdp.P[(s * 2 + a) * n];
      row[a == 1 ? right : left] += alpha;
      row[a == 1 ? left : right] += 1 - alpha;
    }
  }
  return mdp;
}

TabularMdp make_noisy_bandit(std::size_t arms, double lambda, std::uint64_t seed) {
  TabularMdp mdp{1, arms, std::vector<double>(arms, 1), std::vector<double>(arms), {1}, 1, 1, {1}};
  for (std::size_t i = 1; i <= arms; ++i) {
    const double from_middle = static_cast<double>(i) - static_cast<double>(arms) / 2;
    const double signal = std::exp(-from_middle * from_middle / 2) / std::sqrt(2 * std::numbers::pi);
    mdp.r[i - 1] = signal + lambda * Random({seed, Stage::task, i, 0}).normal();
  }
  return mdp;
}

}  // namespace mercer

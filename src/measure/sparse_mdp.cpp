#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "mercer/error.hpp"
#include "mercer/mdp.hpp"
#include "mercer/random.hpp"

namespace mercer {
namespace {

void normalise(std::span<double> row) {
  const double sum = std::accumulate(row.begin(), row.end(), 0.0);
  for (double& value : row) value /= sum;
}

}  // namespace

SparseMdp sparse_mdp(const TabularMdp& mdp) {
  check_mdp(mdp, "the process");
  SparseMdp sparse{mdp.n, mdp.m, {0}, {}, {}, mdp.r, mdp.mu, mdp.gamma, mdp.horizon, mdp.terminal};
  normalise(sparse.mu);
  sparse.offsets.reserve(mdp.n * mdp.m + 1);
  for (std::size_t s = 0; s < mdp.n; ++s) {
    for (std::size_t a = 0; a < mdp.m; ++a) {
      const std::size_t begin = sparse.next.size();
      if (sparse.is_terminal(s)) {
        sparse.next.push_back(static_cast<std::uint32_t>(s));
        sparse.probability.push_back(1);
        sparse.r[s * mdp.m + a] = 0;
      } else {
        const auto row = std::span(mdp.P).subspan((s * mdp.m + a) * mdp.n, mdp.n);
        for (std::size_t to = 0; to < mdp.n; ++to) {
          if (row[to] <= 0) continue;
          sparse.next.push_back(static_cast<std::uint32_t>(to));
          sparse.probability.push_back(row[to]);
        }
        normalise(std::span(sparse.probability).subspan(begin));
      }
      sparse.offsets.push_back(sparse.next.size());
    }
  }
  return sparse;
}

Range reward_range(const SparseMdp& mdp) {
  const auto [low, high] = std::ranges::minmax(mdp.r);
  return {low, high};
}

std::vector<double> checked_policy(const SparseMdp& mdp, std::span<const double> pi, const std::string& where) {
  if (pi.size() != mdp.n * mdp.m) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} has {} numbers for {} states and {} actions", where, pi.size(), mdp.n, mdp.m),
                "Give a probability for each action in each state");
  }
  std::vector<double> table(pi.begin(), pi.end());
  for (std::size_t s = 0; s < mdp.n; ++s) {
    const auto row = std::span(table).subspan(s * mdp.m, mdp.m);
    check_distribution(row, fmt::format("{}[{}]", where, s));
    normalise(row);
  }
  return table;
}

PolicyChain policy_chain(const SparseMdp& mdp, std::span<const double> weights) {
  PolicyChain chain{mdp.n, {0}, {}, {}, std::vector<double>(mdp.n)};
  chain.offsets.reserve(mdp.n + 1);
  std::vector<double> sum(mdp.n);
  std::vector<std::uint8_t> seen(mdp.n);
  std::vector<std::uint32_t> touched;
  for (std::size_t s = 0; s < mdp.n; ++s) {
    touched.clear();
    for (std::size_t a = 0; a < mdp.m; ++a) {
      const double weight = weights[s * mdp.m + a];
      if (weight <= 0) continue;
      chain.r[s] += weight * mdp.r[s * mdp.m + a];
      for (std::size_t i = mdp.offsets[s * mdp.m + a]; i < mdp.offsets[s * mdp.m + a + 1]; ++i) {
        const std::uint32_t to = mdp.next[i];
        if (seen[to] == 0) touched.push_back(to);
        seen[to] = 1;
        sum[to] += weight * mdp.probability[i];
      }
    }
    std::ranges::sort(touched);
    for (const std::uint32_t to : touched) {
      chain.next.push_back(to);
      chain.probability.push_back(sum[to]);
      sum[to] = 0;
      seen[to] = 0;
    }
    chain.offsets.push_back(chain.next.size());
  }
  return chain;
}

}  // namespace mercer

#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mercer/env/space.hpp"
#include "mercer/env/tabular.hpp"

namespace mercer {

/// A finite Markov decision process by its transitions that are not zero. A state where episodes end is absorbing and
/// pays nothing, whatever is done there.
struct SparseMdp {
  std::size_t n = 0;
  std::size_t m = 0;
  std::vector<std::size_t>
      offsets;                      ///< n m + 1: transitions of (s, a) are offsets[s m + a] .. offsets[s m + a + 1] - 1
  std::vector<std::uint32_t> next;  ///< s'
  std::vector<double> probability;  ///< P[s][a][s']; sums to one over each (s, a)
  std::vector<double> r;            ///< r[s m + a]
  std::vector<double> mu;           ///< start distribution
  double gamma = 0.99;
  std::uint32_t horizon = 1;
  std::vector<std::uint8_t> terminal;  ///< 1 for states where an episode ends; empty for none

  bool is_terminal(std::size_t s) const { return !terminal.empty() && terminal[s] != 0; }
};

/// Checks the process (`check_mdp`), makes rows sum to one and final states absorbing. O(n m n).
SparseMdp sparse_mdp(const TabularMdp& mdp);

/// The smallest and the largest reward; a final state pays 0.
Range reward_range(const SparseMdp& mdp);

/// Throws `shape_mismatch` unless there is a row for each state, `bad_distribution` unless each is one. Returns the
/// table with rows that sum to one.
std::vector<double> checked_policy(const SparseMdp& mdp, std::span<const double> pi, const std::string& where);

/// A Markov chain, or a part of one whose rows sum to less than one, with its rewards.
struct PolicyChain {
  std::size_t n = 0;
  std::vector<std::size_t> offsets;  ///< n + 1
  std::vector<std::uint32_t> next;   ///< rising in each row
  std::vector<double> probability;   ///< P_pi[s][s'] = sum_a pi[s][a] P[s][a][s']
  std::vector<double> r;             ///< r_pi[s] = sum_a pi[s][a] r[s][a]
};

/// The chain of a policy, or of any weights that are not negative (n x m). O(transitions).
PolicyChain policy_chain(const SparseMdp& mdp, std::span<const double> weights);

}  // namespace mercer

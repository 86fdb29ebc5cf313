#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mercer {

/// The printed pruning bound, 2 r_M / (1 - g) sqrt((3 n m + 4 ln(1 / delta)) / (2 N)): n all states, r_M the largest
/// |reward|, N trajectories; claimed with probability 1 - 2 delta, for the policy of counts.
double printed_pruning_bound(std::size_t n, std::size_t m, std::size_t trajectories, double gamma, double r_M,
                             double delta);

/// The policy of counts N(s, a) / N(s), uniform in states that were never visited. `counts` is n x m.
std::vector<double> counted_policy(std::span<const double> counts, std::size_t m);

/// Two policies that differ only in states U: |eta - eta_pruned| <= Delta_r / (1 - g) (p + g^T) with p the upper bound
/// on the probability of touching U within T steps, from held-out trajectories. With probability 1 - delta.
double held_out_pruning_bound(double delta_r, double gamma, std::size_t T, std::size_t hits, std::size_t held_out,
                              double delta);

/// Weissman's radius: with probability 1 - delta, for `rows` distributions on `outcomes` values and any number of draws
/// N of each, TV(empirical, true) <= sqrt((ln(2^outcomes - 2) + ln(rows pi^2 N^2 / (6 delta))) / (2 N)), at most 1; 1
/// without draws, 0 for a single outcome.
double weissman_radius(double draws, std::size_t outcomes, std::size_t rows, double delta);

}  // namespace mercer

#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "mercer/env.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// Row-stochastic rows, made of exponential numbers.
inline std::vector<double> random_rows(std::size_t rows, std::size_t cols, std::uint64_t seed, std::uint64_t item) {
  Random random({seed, Stage::task, item, 0});
  std::vector<double> out(rows * cols);
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) sum += out[r * cols + c] = -std::log1p(-random.uniform()) + 1e-12;
    for (std::size_t c = 0; c < cols; ++c) out[r * cols + c] /= sum;
  }
  return out;
}

/// A finite process with rewards from -1 to 1.
inline TabularMdp random_mdp(std::size_t n, std::size_t m, std::uint64_t seed) {
  TabularMdp mdp;
  mdp.n = n;
  mdp.m = m;
  mdp.P = random_rows(n * m, n, seed, 10);
  mdp.mu = random_rows(1, n, seed, 11);
  Random random({seed, Stage::task, 12, 0});
  for (std::size_t i = 0; i < n * m; ++i) mdp.r.push_back(2 * random.uniform() - 1);
  return mdp;
}

/// Expected return over the horizon, by going through the distributions of the state.
inline double finite_return(const TabularMdp& mdp, const std::vector<double>& pi, double gamma) {
  std::vector<double> now = mdp.mu, next(mdp.n);
  double total = 0, discount = 1;
  for (std::uint32_t t = 0; t < mdp.horizon; ++t) {
    std::fill(next.begin(), next.end(), 0);
    for (std::size_t s = 0; s < mdp.n; ++s) {
      for (std::size_t a = 0; a < mdp.m; ++a) {
        const double mass = now[s] * pi[s * mdp.m + a];
        total += discount * mass * mdp.r[s * mdp.m + a];
        for (std::size_t to = 0; to < mdp.n; ++to) next[to] += mass * mdp.P[(s * mdp.m + a) * mdp.n + to];
      }
    }
    discount *= gamma;
    now = next;
  }
  return total;
}

}  // namespace mercer

#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "certify/pruning.hpp"
#include "mercer/basis.hpp"
#include "mercer/env.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// A made-up process with two policies, and how the second came from the first.
struct RandomPair {
  std::string kind;
  TabularMdp mdp;
  std::vector<double> pi1, pi2;
  std::vector<double> raw;                 ///< of a truncation, before it was made a policy again
  std::vector<double> kept_difference;     ///< of a truncation: pi2 - pi1 in the kept span
  std::vector<std::vector<double>> atoms;  ///< along one or two dimensions
  std::vector<double> counts;              ///< of a pruned policy that is made of them: actions that were seen
  std::vector<double> seen;                ///< of every pruned policy: the same
  std::size_t trajectories = 0, held_out = 0, hits = 0, T = 0;
};

/// Makes pair number `item` of a sweep: 1 to 20 states, 2 to 6 actions, discounts from 0.5 to 0.99.
class PairMaker {
 public:
  PairMaker(std::uint64_t seed, std::uint64_t item) : random_({seed, Stage::simulate, item, 0}), item_(item) {}

  RandomPair make() {
    static const char* const kinds[] = {"random",    "perturbed", "truncated", "adversarial",
                                        "truncated", "pruned",    "bandit"};
    RandomPair pair;
    pair.kind = kinds[item_ % std::size(kinds)];
    pair.mdp.n = pair.kind == "bandit" ? 1 : 2 + below(19);
    pair.mdp.m = 2 + below(5);
    pair.mdp.gamma = 1 - std::pow(50.0, -random_.uniform()) / 2;  // 1 / (1 - g) from 2 to 100, evenly by factors
    fill_process(pair.mdp, pair.kind == "adversarial");
    std::vector<double> values(pair.mdp.m);
    for (double& value : values) value = random_.normal();
    // Actions of one dimension; where their number allows, of two for every other item.
    const bool two = pair.mdp.m % 2 == 0 && pair.mdp.m > 2 && item_ % 2 == 0;
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(two ? pair.mdp.m / 2 : pair.mdp.m);
    pair.atoms = {{values.begin(), first}};
    if (two) pair.atoms.push_back({first, first + 2});
    for (std::vector<double>& axis : pair.atoms) std::ranges::sort(axis);
    pair.pi1 = policy(pair.mdp, 0.3 + 3 * random_.uniform());
    if (pair.kind == "random") pair.pi2 = policy(pair.mdp, 1);
    if (pair.kind == "perturbed" || pair.kind == "bandit")
      pair.pi2 = mixed(pair, std::pow(10.0, -3 * random_.uniform()));
    if (pair.kind == "truncated") truncate(pair);
    if (pair.kind == "adversarial") oppose(pair);
    if (pair.kind == "pruned") {
      prune(pair);
    } else if (pair.mdp.n > 1 && below(5) == 0) {  // a state where episodes end
      pair.mdp.terminal.assign(pair.mdp.n, 0);
      pair.mdp.terminal[below(pair.mdp.n)] = 1;
    }
    return pair;
  }

 private:
  std::size_t below(std::size_t count) { return random_.bits() % count; }
  double exponential() { return -std::log1p(-random_.uniform()); }

  void normalise(std::span<double> row) {
    double sum = 0;
    for (const double value : row) sum += value;
    for (double& value : row) value /= sum;
  }

  void fill_process(TabularMdp& mdp, bool adversarial) {
    const std::size_t n = mdp.n, m = mdp.m;
    mdp.P.assign(n * m * n, 0);
    mdp.r.resize(n * m);
    mdp.mu.resize(n);
    for (double& value : mdp.mu) value = exponential();
    normalise(mdp.mu);
    const double shift = 2 * random_.normal();
    for (double& value : mdp.r) value = shift + random_.normal();
    // Dense rows, rows of few successors, and chains that hardly leave a state.
    const std::size_t style = below(3);
    for (std::size_t row = 0; row < n * m; ++row) {
      double* const P = &mdp.P[row * n];
      if (style == 1) {
        for (int i = 0; i < 3; ++i) P[below(n)] += exponential();
      } else {
        for (std::size_t s = 0; s < n; ++s) P[s] = std::pow(exponential(), 1 + 2 * random_.uniform());
      }
      normalise({P, n});
      if (style == 2 || adversarial) {
        const double stay = adversarial ? 1 - std::pow(10.0, -6 * random_.uniform()) : 0.9;
        for (std::size_t s = 0; s < n; ++s) P[s] *= 1 - stay;
        P[row / m] += stay;
        normalise({P, n});
      }
    }
  }

  std::vector<double> policy(const TabularMdp& mdp, double sharpness) {
    std::vector<double> pi(mdp.n * mdp.m);
    for (double& value : pi) value = std::exp(sharpness * random_.normal());
    for (std::size_t s = 0; s < mdp.n; ++s) normalise(std::span(pi).subspan(s * mdp.m, mdp.m));
    return pi;
  }

  std::vector<double> mixed(const RandomPair& pair, double share) {
    std::vector<double> pi = policy(pair.mdp, 2);
    for (std::size_t i = 0; i < pi.size(); ++i) pi[i] = (1 - share) * pair.pi1[i] + share * pi[i];
    return pi;
  }

  void truncate(RandomPair& pair) {
    const std::size_t n = pair.mdp.n, m = pair.mdp.m;
    const std::unique_ptr<Basis> basis = make_basis("fourier");
    basis->train({{n, m}, pair.pi1});
    const std::vector<double> coefficients = basis->apply(pair.pi1);
    const Truncation truncation(basis->terms(coefficients));
    const std::vector<std::size_t> kept = truncation.kept(1 + below(n * (m - 1)));
    pair.raw = basis->reverse(keep_only(coefficients, kept));
    pair.pi2 = pair.raw;
    project_rows({pair.pi2.data(), n, m});
    std::vector<double> delta(pair.pi2);
    for (std::size_t i = 0; i < delta.size(); ++i) delta[i] -= pair.pi1[i];
    pair.kept_difference = basis->reverse(keep_only(basis->apply(delta), kept));
  }

  // Half of them: rewards that the action alone decides and policies a little apart, always to the same side. Half:
  // policies that never do the same.
  void oppose(RandomPair& pair) {
    TabularMdp& mdp = pair.mdp;
    pair.pi2.assign(mdp.n * mdp.m, 0);
    if (below(2) == 0) {
      std::ranges::fill(pair.pi1, 0);
      for (std::size_t s = 0; s < mdp.n; ++s) {
        const std::size_t own = below(mdp.m);
        pair.pi1[s * mdp.m + own] = 1;
        pair.pi2[s * mdp.m + (own + 1 + below(mdp.m - 1)) % mdp.m] = 1;
      }
      return;
    }
    const double x = 0.002 + 0.05 * random_.uniform();
    for (std::size_t s = 0; s < mdp.n; ++s) {
      for (std::size_t a = 0; a < mdp.m; ++a) {
        mdp.r[s * mdp.m + a] = a == 0 ? 1 : 0;
        const double sign = a == 0 ? 1 : a == 1 ? -1 : 0;
        pair.pi1[s * mdp.m + a] = 1 / static_cast<double>(mdp.m) + sign * x / 2;
        pair.pi2[s * mdp.m + a] = 1 / static_cast<double>(mdp.m) - sign * x / 2;
      }
    }
  }

  // Calls visit(s, a) along a trajectory of policy 1.
  template <class Visit>
  void play(const RandomPair& pair, Visit visit) {
    const std::size_t n = pair.mdp.n, m = pair.mdp.m;
    std::size_t s = random_.categorical(pair.mdp.mu);
    for (std::size_t t = 0; t < pair.T; ++t) {
      const std::size_t a = random_.categorical(std::span(pair.pi1).subspan(s * m, m));
      visit(s, a);
      s = random_.categorical(std::span(pair.mdp.P).subspan((s * m + a) * n, n));
    }
  }

  // By turns the policy of counts, and policy 1 made uniform where it was not seen, with fresh trajectories.
  void prune(RandomPair& pair) {
    const std::size_t n = pair.mdp.n, m = pair.mdp.m;
    pair.trajectories = 5 + below(40);
    pair.T = static_cast<std::size_t>(std::ceil(5 / (1 - pair.mdp.gamma)));
    std::vector<double> counts(n * m);
    for (std::size_t i = 0; i < pair.trajectories; ++i) {
      play(pair, [&](std::size_t s, std::size_t a) { ++counts[s * m + a]; });
    }
    pair.seen = counts;
    if (below(2) == 0) {
      pair.pi2 = counted_policy(counts, m);
      pair.counts = std::move(counts);
      return;
    }
    std::vector<std::uint8_t> pruned(n, 1);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (counts[i] > 0) pruned[i / m] = 0;
    }
    pruned[below(n)] = 1;
    pair.pi2 = pair.pi1;
    for (std::size_t i = 0; i < pair.pi2.size(); ++i) {
      if (pruned[i / m] != 0) pair.pi2[i] = 1 / static_cast<double>(m);
    }
    pair.held_out = 60;
    for (std::size_t i = 0; i < pair.held_out; ++i) {
      bool touched = false;
      play(pair, [&](std::size_t s, std::size_t) { touched |= pruned[s] != 0; });
      pair.hits += touched ? 1 : 0;
    }
  }

  Random random_;
  std::uint64_t item_;
};

}  // namespace mercer

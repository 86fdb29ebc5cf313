#include <algorithm>
#include <cmath>

#include "certify/bound_list.hpp"
#include "mercer/mdp.hpp"

namespace mercer {
namespace {

// Sum over t of gamma^t sum_s visits_t(s) |<delta_s, Q_t(s, .)>|, and with TV span(Q_t) in place of the product.
struct Weighted {
  double span = 0, absolute = 0;
};

Weighted weighted(const TabularComparison& c, const FiniteHorizon& player, const FiniteHorizon& critic) {
  const std::size_t n = c.mdp.n, m = c.mdp.m;
  Weighted sum;
  double weight = 1;
  for (std::size_t t = 0; t < player.T; ++t, weight *= player.gamma) {
    const double* const later = &critic.V[(t + 1) * n];
    for (std::size_t s = 0; s < n; ++s) {
      const double visits = weight * player.visits[t * n + s];
      if (visits <= 0) continue;
      double low = HUGE_VAL, high = -HUGE_VAL, product = 0;
      for (std::size_t sa = s * m; sa < (s + 1) * m; ++sa) {
        double next = 0;
        for (std::size_t i = c.mdp.offsets[sa]; i < c.mdp.offsets[sa + 1]; ++i) {
          next += c.mdp.probability[i] * later[c.mdp.next[i]];
        }
        const double Q = c.mdp.r[sa] + critic.gamma * next;
        low = std::min(low, Q);
        high = std::max(high, Q);
        product += c.delta[sa] * Q;
      }
      sum.span += visits * c.TV[s] * (high - low);
      sum.absolute += visits * std::abs(product);
    }
  }
  return sum;
}

// Delta_r sum_t gamma^t P(tau <= t): exactly, by following the part of the chain where both still agree.
double coupled(const TabularComparison& c, const BoundInputs& inputs) {
  const PolicyChain together = policy_chain(c.mdp, c.coupled);
  std::vector<double> agree = c.mdp.mu, next(c.mdp.n);
  double parted = 0, sum = 0, weight = 1;
  for (std::size_t t = 0; t < inputs.T; ++t, weight *= inputs.horizon_gamma) {
    parted += sum_of(agree, c.TV);
    sum += weight * std::min(1.0, parted);
    std::ranges::fill(next, 0);
    for (std::size_t s = 0; s < c.mdp.n; ++s) {
      for (std::size_t i = together.offsets[s]; i < together.offsets[s + 1]; ++i) {
        next[together.next[i]] += agree[s] * together.probability[i];
      }
    }
    agree.swap(next);
  }
  return c.delta_r * sum;
}

double model_free(const TabularComparison& c, const FiniteHorizon& player) {
  double parted = 0, sum = 0, weight = 1;
  for (std::size_t t = 0; t < player.T; ++t, weight *= player.gamma) {
    parted = std::min(1.0, parted + sum_of(std::span(player.visits).subspan(t * c.mdp.n, c.mdp.n), c.TV));
    sum += weight * parted;
  }
  return c.delta_r * sum;
}

}  // namespace

void add_horizon_bounds(const TabularComparison& c, const BoundInputs& inputs, BoundList& list) {
  constexpr Quantity quantity = Quantity::episode_return;
  if (inputs.T == 0) {
    for (const char* id : {"B0_T", "B2_T", "B2'_T", "B4_T", "B5_T"}) list.skip(id, quantity, "no horizon was given");
    return;
  }
  const FiniteHorizon p1 = solve_finite_horizon(c.mdp, c.pi1, inputs.T, inputs.horizon_gamma);
  const FiniteHorizon p2 = solve_finite_horizon(c.mdp, c.pi2, inputs.T, inputs.horizon_gamma);
  const double difference = std::abs(p1.eta - p2.eta);
  const Weighted on2 = weighted(c, p2, p1), on1 = weighted(c, p1, p2);
  const std::string both = "the process; visits of one policy and critic of the other, at each step";
  list.add("B0_T", quantity, trivial_bound(c, quantity, inputs), "the range of the rewards", difference);
  list.add("B2_T", quantity, std::min(on2.span, on1.span), both, difference);
  list.add("B2'_T", quantity, std::min(on2.absolute, on1.absolute), both, difference);
  list.add("B4_T", quantity, std::min(model_free(c, p1), model_free(c, p2)), "rollouts of one policy, both densities",
           difference);
  list.add("B5_T", quantity, coupled(c, inputs), "the process, or rollouts and both densities", difference);
}

}  // namespace mercer

#include "certify/coupling.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/random_mdp.hpp"

namespace mercer {
namespace {

// What the theorem bounds from, solved: E[sum over t < T of gamma^t 1{tau <= t}] times the width of the rewards.
double exact_coupling(const TabularMdp& mdp, const std::vector<double>& pi1, const std::vector<double>& pi2,
                      double width, double gamma) {
  std::vector<double> together = mdp.mu, next(mdp.n);
  double bound = 0, discount = 1;
  for (std::uint32_t t = 0; t < mdp.horizon; ++t) {
    std::ranges::fill(next, 0);
    double left = 0;  // probability that both are still together after action t
    for (std::size_t s = 0; s < mdp.n; ++s) {
      for (std::size_t a = 0; a < mdp.m; ++a) {
        const double shared = together[s] * std::min(pi1[s * mdp.m + a], pi2[s * mdp.m + a]);
        left += shared;
        for (std::size_t to = 0; to < mdp.n; ++to) next[to] += shared * mdp.P[(s * mdp.m + a) * mdp.n + to];
      }
    }
    bound += width * discount * (1 - left);
    discount *= gamma;
    together = next;
  }
  return bound;
}

struct Case {
  TabularMdp mdp;
  std::vector<double> pi1, pi2;
};

Case make_case(std::uint64_t seed) {
  Case out{random_mdp(5, 3, seed), {}, {}};
  out.mdp.horizon = 20;
  out.pi1 = random_rows(5, 3, seed, 1);
  out.pi2 = random_rows(5, 3, seed, 2);
  const double near = std::pow(10.0, -1 - static_cast<double>(seed % 3));
  for (std::size_t i = 0; i < out.pi1.size(); ++i) out.pi2[i] = (1 - near) * out.pi1[i] + near * out.pi2[i];
  return out;
}

TEST(Coupling, bounds_the_true_difference_and_tends_to_the_theorem) {
  double slack = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Case of = make_case(seed);
    const TabularEnv env("t", of.mdp);
    const TabularPolicy teacher("1", 5, 3, of.pi1), student("2", 5, 3, of.pi2);
    RolloutOptions playing;
    playing.episodes = 4000;
    playing.seed = seed;
    const Rollouts rollouts = rollout(env, teacher, playing);
    const Range reward = env.task().reward;
    const double width = std::max(reward.high, 0.0) - std::min(reward.low, 0.0);
    for (const double gamma : {1.0, 0.9}) {
      const CouplingBound bound = coupling_bound(env, teacher, student, rollouts, 20, {.gamma = gamma});
      ASSERT_TRUE(bound.applicable);
      const double theorem = exact_coupling(of.mdp, of.pi1, of.pi2, width, gamma);
      const double truth = std::abs(finite_return(of.mdp, of.pi1, gamma) - finite_return(of.mdp, of.pi2, gamma));
      EXPECT_NEAR(bound.mean, theorem, 0.05 * theorem + 0.01);
      EXPECT_GE(bound.value, theorem);
      EXPECT_GE(theorem, truth);
      EXPECT_GE(bound.modelfree, bound.mean);
      slack = std::max(slack, bound.value / theorem);
    }
  }
  std::cout << "largest ratio of bound to theorem " << slack << "\n";
}

TEST(Coupling, misses_no_more_often_than_it_says) {
  const Case of = make_case(1);
  const TabularEnv env("t", of.mdp);
  const TabularPolicy teacher("1", 5, 3, of.pi1), student("2", 5, 3, of.pi2);
  const double width = std::max(env.task().reward.high, 0.0) - std::min(env.task().reward.low, 0.0);
  const double theorem = exact_coupling(of.mdp, of.pi1, of.pi2, width, 1);
  std::size_t held = 0;
  for (std::uint64_t r = 0; r < 1000; ++r) {
    RolloutOptions playing;
    playing.episodes = 50;
    playing.seed = r;
    held += coupling_bound(env, teacher, student, rollout(env, teacher, playing), 20, {}).value >= theorem ? 1 : 0;
  }
  EXPECT_GE(held, 945u);
}

TEST(Coupling, of_a_policy_with_itself_is_only_the_price_of_few_episodes) {
  const Case of = make_case(0);
  const TabularEnv env("t", of.mdp);
  const TabularPolicy teacher("1", 5, 3, of.pi1);
  const Rollouts rollouts = rollout(env, teacher, {.episodes = 2000});
  const CouplingBound bound = coupling_bound(env, teacher, teacher, rollouts, 20, {});
  EXPECT_NEAR(bound.mean, 0, 1e-12);
  EXPECT_LT(bound.value, 0.01 * losable(env, 20, 1)[0]);
  const CouplingBound endless = coupling_bound(env, teacher, teacher, rollouts, 20, {.gamma = 0.9, .endless = true});
  const double width = std::max(env.task().reward.high, 0.0) - std::min(env.task().reward.low, 0.0);
  EXPECT_NEAR(endless.mean, width * std::pow(0.9, 20) / 0.1, 1e-9);
}

// Played without drawing, two greedy tables part at the first state where they choose differently.
TEST(Coupling, of_choices_that_are_not_drawn) {
  const Case of = make_case(2);
  const TabularEnv env("t", of.mdp);
  std::vector<double> rotated = of.pi1;  // chooses another action in every state
  for (std::size_t s = 0; s < 5; ++s) std::rotate(&rotated[3 * s], &rotated[3 * s + 1], rotated.data() + 3 * s + 3);
  const TabularPolicy teacher("1", 5, 3, of.pi1), other("2", 5, 3, rotated);
  const Rollouts rollouts = rollout(env, teacher, {.episodes = 200, .act = Act::mean});
  const CouplingBound same = coupling_bound(env, teacher, teacher, rollouts, 20, {.act = Act::mean});
  EXPECT_EQ(same.mean, 0);
  EXPECT_EQ(coupling_bound(env, teacher, other, rollouts, 20, {.act = Act::mean}).separated, 1);
}

TEST(Losable, is_capped_by_the_declared_returns) {
  const TabularEnv env("chain", make_chain(4, 0.8, 30));
  const std::vector<double> f = losable(env, 30, 1);
  EXPECT_EQ(f[30], 0);
  EXPECT_LE(f[0], env.return_range(30).width());
  for (std::size_t k = 0; k < 30; ++k) EXPECT_GE(f[k], f[k + 1]);
  EXPECT_NEAR(losable(env, 30, 0.5)[0], 2 * (1 - std::pow(0.5, 30)), 1e-12);
}

TEST(Coupling, needs_steps) {
  const TabularEnv env("chain", make_chain(4, 0.8, 30));
  const TabularPolicy teacher("1", 4, 2, std::vector<double>(8, 0.5));
  const Rollouts rollouts = rollout(env, teacher, {.episodes = 5, .keep_steps = false});
  expect_error(ErrorCode::missing_option, "steps", [&] { coupling_bound(env, teacher, teacher, rollouts, 30, {}); });
}

}  // namespace
}  // namespace mercer

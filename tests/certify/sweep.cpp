#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/bound_sweep.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

TEST(BoundSweep, rigorous_bounds_hold_and_printed_ones_do_not_always) {
  BoundTallies tallies = sweep_bounds(1, 300);
  std::size_t printed_fail = 0;
  for (auto& [name, tally] : tallies) {
    fmt::print("{:35} applicable {:3}, violations {:3}, median bound / true {:.3g}\n", name, tally.applicable,
               tally.violations, tally.median());
    if (tally.level == Level::paper) {
      printed_fail += tally.violations > 0 ? 1 : 0;
    } else {
      EXPECT_EQ(tally.violations, 0U) << name;
      EXPECT_GT(tally.applicable, 0U) << name << " was never tried";
    }
  }
  EXPECT_GT(printed_fail, 5U);
  EXPECT_GT(tallies.at("paper_trunc_inf, identity").violations, 0U);
  EXPECT_GT(tallies.at("paper_bandit_p2").violations, 0U);
  // What holds although its proof does not, and what is right.
  for (const char* name : {"paper_alpha", "paper_coverage", "paper_geometric_tail", "paper_w1_mean_action"}) {
    EXPECT_EQ(tallies.at(name).violations, 0U) << name;
  }
}

TEST(BoundSweep, is_the_same_on_one_thread_and_on_two) {
  const auto medians = [](std::size_t threads) {
    const ThreadLimit limit(threads);
    std::vector<double> all;
    for (auto& [name, tally] : sweep_bounds(2, 60)) {
      BoundTally own = tally;
      all.push_back(own.median());
    }
    return all;
  };
  EXPECT_EQ(medians(1), medians(2));
}

TEST(BoundSweep, coupling_is_never_worse_than_what_it_implies) {
  for (std::uint64_t item = 0; item < 200; ++item) {
    const RandomPair pair = PairMaker(3, item).make();
    const TabularComparison comparison = compare(pair.mdp, pair.pi1, pair.pi2);
    const std::vector<Bound> rows =
        rigorous_bounds(comparison, {.kernel = make_action_kernel(ActionKernelKind::dct, pair.mdp.m)});
    const auto value = [&](const char* id) { return find_bound(rows, id)->value; };
    const double slack = 1e-9 * value("B0");
    EXPECT_LE(value("B5"), value("B0") + slack);
    EXPECT_LE(value("B5"), value("B4") + slack);
    EXPECT_LE(value("B5"), value("B6") + slack);
    EXPECT_LE(value("B2'"), value("B2") + slack);
    EXPECT_LE(value("B2"), value("B1'") + slack);
    EXPECT_LE(value("B2"), value("B8") + slack) << "TV is at most Parseval's bound on it";
  }
}

// (I - g P_pi) V = r_pi by elimination in long double, from the process as it is stored.
double slow_eta(const SparseMdp& mdp, const std::vector<double>& pi) {
  const std::size_t n = mdp.n, wide = n + 1;
  std::vector<long double> a(n * wide);
  for (std::size_t s = 0; s < n; ++s) {
    a[s * wide + s] += 1;
    for (std::size_t sa = s * mdp.m; sa < (s + 1) * mdp.m; ++sa) {
      a[s * wide + n] += static_cast<long double>(pi[sa]) * mdp.r[sa];
      for (std::size_t i = mdp.offsets[sa]; i < mdp.offsets[sa + 1]; ++i) {
        a[s * wide + mdp.next[i]] -= static_cast<long double>(mdp.gamma) * pi[sa] * mdp.probability[i];
      }
    }
  }
  for (std::size_t k = 0; k < n; ++k) {  // rows dominate their diagonal: no need to exchange any
    for (std::size_t row = 0; row < n; ++row) {
      if (row == k) continue;
      const long double factor = a[row * wide + k] / a[k * wide + k];
      for (std::size_t column = k; column <= n; ++column) a[row * wide + column] -= factor * a[k * wide + column];
    }
  }
  long double eta = 0;
  for (std::size_t s = 0; s < n; ++s) eta += mdp.mu[s] * a[s * wide + n] / a[s * wide + s];
  return static_cast<double>(eta);
}

TEST(BoundSweep, certified_errors_cover_what_long_double_finds) {
  double most = 0;
  for (std::uint64_t item = 0; item < 300; ++item) {
    const RandomPair pair = PairMaker(5, item).make();
    const TabularComparison c = compare(pair.mdp, pair.pi1, pair.pi2, {.solver = {}, .long_run = false});
    for (const auto& [pi, solution] : {std::pair(&c.pi1, &c.policy1), std::pair(&c.pi2, &c.policy2)}) {
      const double miss = std::abs(slow_eta(c.mdp, *pi) - solution->eta);
      EXPECT_LE(miss, solution->eta_error) << item;
      EXPECT_LT(solution->eta_error, 1e-10 * (1 + c.r_M / (1 - c.mdp.gamma)));
      most = std::max(most, miss / solution->eta_error);
    }
  }
  fmt::print("errors reach {:.2f} of what is certified\n", most);
}

TEST(BoundSweep, a_long_horizon_is_the_discounted_process) {
  const RandomPair pair = PairMaker(6, 1).make();
  SparseMdp mdp = sparse_mdp(pair.mdp);
  mdp.gamma = 0.9;
  const ExactDifference endless = exact_difference(mdp, pair.pi1, pair.pi2);
  const ExactDifference long_one = exact_horizon_difference(mdp, pair.pi1, pair.pi2, 500, 0.9);  // 0.9^500 = 1e-23
  EXPECT_NEAR(endless.difference, long_one.difference, endless.error + long_one.error);
  EXPECT_LT(long_one.error, 1e-11);
  mdp.gamma = 1;  // only the horizon makes it finite
  const ExactDifference plain = exact_horizon_difference(mdp, pair.pi1, pair.pi2, 30);
  const std::vector<Bound> rows = horizon_bounds(mdp, pair.pi1, pair.pi2, 30);
  ASSERT_EQ(rows.size(), 5U);
  for (const Bound& row : rows) {
    EXPECT_GE(row.value * (1 + 1e-12), std::abs(plain.difference)) << row.id;
    EXPECT_NEAR(row.measured.value(), std::abs(plain.difference), 1e-11) << row.id;
  }
}

TEST(BoundSweep, the_exact_difference_is_what_playing_gives) {
  for (const std::uint64_t item : {0, 1, 3, 9}) {
    RandomPair pair = PairMaker(4, item).make();
    pair.mdp.gamma = 0.8;
    pair.mdp.horizon = 100;  // 0.8^100 = 2e-10 is left
    const std::size_t n = pair.mdp.n, m = pair.mdp.m;
    const ExactDifference exact = exact_difference(sparse_mdp(pair.mdp), pair.pi1, pair.pi2);
    const TabularEnv env("made up", pair.mdp);
    const RolloutOptions options{.episodes = 20000, .seed = item, .keep_steps = false};
    const Rollouts one = rollout(env, TabularPolicy("1", n, m, pair.pi1), options);
    const Rollouts two = rollout(env, TabularPolicy("2", n, m, pair.pi2), options);
    std::vector<double> differences(one.discounted_returns);
    for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= two.discounted_returns[i];
    const SampleMean played(differences);
    fmt::print("{} ({} states): exact {:.5f} +- {:.1e}, played {:.5f} +- {:.5f}\n", pair.kind, n, exact.difference,
               exact.error, played.mean, played.error);
    EXPECT_NEAR(played.mean, exact.difference, 5 * played.error + exact.error + 1e-7);
    EXPECT_LT(played.error, 0.1) << "or the comparison says nothing";
  }
}

}  // namespace
}  // namespace mercer

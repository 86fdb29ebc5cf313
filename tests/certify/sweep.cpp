#include <fmt/core.h>
#include <gtest/gtest.h>

#include "mercer/policy/tabular.hpp"
#include "mercer/rollout/rollout.hpp"
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
    if (tally.level == "paper") {
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
    const std::vector<Bound> rows = rigorous_bounds(comparison, {.kernel = make_action_kernel("dct", pair.mdp.m)});
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

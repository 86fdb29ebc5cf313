// Statistics of the verdicts against sums written out, textbook numbers and simulation.
#include "paper/trials.hpp"

#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "paper/verdict.hpp"

namespace mercer::paper {
namespace {

TEST(Trials, sign_flips_count_ways) {
  // Of the 8 ways to give 1, 2 and 3 signs, one is as low as -6, and two are as low as 1 - 2 - 3.
  const std::vector<double> all_low{-1, -2, -3}, one_up{1, -2, -3}, up{1, 2, 3}, none{0, 0, 0};
  EXPECT_EQ(mean_below_p(all_low, 0), 1 / 8.0);
  EXPECT_EQ(mean_below_p(one_up, 0), 2 / 8.0);
  EXPECT_EQ(mean_below_p(up, 0), 1);
  EXPECT_EQ(mean_below_p(none, 0), 1);
  EXPECT_EQ(mean_below_p(std::vector<double>{4, 3, 2}, 5), 1 / 8.0);
  EXPECT_EQ(mean_below_p({}, 0), 1);
}

// Equal numbers whose sums differ in the last place must not be told apart: the reversed sum is the twin.
TEST(Trials, sign_flips_do_not_depend_on_the_order) {
  const std::vector<double> forth{0.1, 0.2, 0.3, -0.4, 0.7, 1e-3}, back(forth.rbegin(), forth.rend());
  EXPECT_EQ(mean_below_p(forth, 0.3), mean_below_p(back, 0.3));
}

// Of a true null no more than one in twenty is rejected, and a clear effect is found.
TEST(Trials, rejects_a_true_null_rarely_and_finds_an_effect) {
  for (const std::uint32_t n : {10, 30}) {
    int wrong = 0, found = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> values;
      for (std::uint32_t i = 0; i < n; ++i) {
        Random random({5, Stage::simulate, static_cast<std::uint64_t>(round), i});
        values.push_back(random.normal());
      }
      wrong += mean_below_p(values, 0) <= 0.05;
      found += mean_below_p(values, 1.5) <= 0.05;
    }
    // 5% of 2000 and four standard deviations of a count.
    EXPECT_LE(wrong, 100 + 4 * std::sqrt(2000 * 0.05 * 0.95)) << n;
    EXPECT_GT(found, 0.95 * rounds) << n;
    fmt::print("{} values: rejected {} of {} true, {} of {} false\n", n, wrong, rounds, found, rounds);
  }
}

TEST(Trials, holm_steps_down) {
  // Holm (1979): 0.01 * 4, 0.02 * 3, 0.03 * 2, and no later one below an earlier one.
  const std::vector<double> adjusted = holm(std::vector<double>{0.03, 0.01, 0.04, 0.02});
  const std::vector<double> expected{0.06, 0.04, 0.06, 0.06};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-15);
  EXPECT_EQ(holm(std::vector<double>{0.9, 0.8}), (std::vector<double>{1, 1}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Trials, kendall_counts_pairs) {
  const std::vector<double> x{1, 2, 3, 4};
  EXPECT_EQ(kendall(x, std::vector<double>{4, 3, 2, 1}), -1);
  EXPECT_NEAR(kendall(x, std::vector<double>{1, 3, 2, 4}), 4 / 6.0, 1e-15);
  EXPECT_EQ(kendall(x, std::vector<double>{1, 1, 1, 1}), 0);
  EXPECT_TRUE(std::isnan(kendall(x, std::vector<double>{1, 2, 3})));
  EXPECT_TRUE(std::isnan(kendall(x, std::vector<double>{1, 2, 3, std::nan("")})));
}

// scipy 1.10.1, stats.linregress of the logarithms and stats.t.interval: y is 3 x^-1.5 with ten percent up and down.
TEST(Trials, a_line_through_logarithms) {
  const std::vector<double> x{1, 2, 4, 8, 16};
  std::vector<double> y;
  for (std::size_t i = 0; i < x.size(); ++i) y.push_back(3 * std::pow(x[i], -1.5) * (i % 2 == 0 ? 1.1 : 0.9));
  const Line line = log_line(x, y);
  EXPECT_NEAR(line.slope, -1.5, 1e-12);
  EXPECT_NEAR(line.error, 0.057901323438997565, 1e-12);
  EXPECT_NEAR(line.interval.low, -1.684267852849507, 1e-9);
  EXPECT_NEAR(slope_p(line, -1.3), 0.02040661100640684, 1e-9);
  EXPECT_TRUE(std::isnan(log_line(x, std::vector<double>{1, 1, 0, 1, 1}).slope));
  EXPECT_EQ(slope_p(log_line(std::vector<double>{1, 2}, std::vector<double>{1, 0.5}), 0), 1);
}

TEST(Rule, needs_evidence_and_not_only_a_direction) {
  const Seeds ten(10, -1.0), two(2, -1.0);
  std::vector<Rule> rules{below("shown", "", ten, 0),           below("too few", "", two, 0),
                          below("other way", "", {1, 1, 1}, 0), below("not a number", "", {-1, std::nan("")}, 0),
                          below("nothing", "", {}, 0),          certain("certain", "", 1, 2),
                          certain("not so", "", 2, 1)};
  decide(rules);
  EXPECT_EQ(rules[0].outcome, Outcome::holds);
  EXPECT_EQ(rules[1].outcome, Outcome::undecided);
  for (const std::size_t i : {2, 3, 4, 6}) EXPECT_EQ(rules[i].outcome, Outcome::fails) << rules[i].name;
  EXPECT_EQ(rules[5].outcome, Outcome::holds);
  EXPECT_NEAR(rules[0].adjusted, 5.0 / 1024, 1e-15);  // five rules have a p
}

TEST(Rule, is_adjusted_for_the_others) {
  Seeds weak{-1, -1, -1, -1, -1, 0.5};  // 2 of 64 ways: p = 0.03
  std::vector<Rule> alone{below("weak", "", weak, 0)};
  std::vector<Rule> among{below("weak", "", weak, 0), below("weak too", "", weak, 0)};
  decide(alone), decide(among);
  EXPECT_EQ(alone[0].outcome, Outcome::holds);
  EXPECT_EQ(among[0].outcome, Outcome::undecided);
}

TEST(Rule, equivalence_needs_both_sides) {
  Seeds near, far;
  for (int i = 0; i < 10; ++i) near.push_back(5 + 0.1 * (i % 3 - 1)), far.push_back(8 + 0.1 * (i % 3 - 1));
  std::vector<Rule> rules{within("near", "", near, 5, 1),           within("far", "", far, 5, 1),
                          alike("alike", "", near, near, 2),        alike("half", "", near, Seeds(10, 20.0), 2),
                          ratio_below("ratio", "", near, far, 0.8), ratio_below("no ratio", "", far, near)};
  decide(rules);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    EXPECT_EQ(rules[i].outcome, i == 0 || i == 2 || i == 4 ? Outcome::holds : Outcome::fails) << rules[i].name;
  }
  EXPECT_NEAR(rules[4].effect, 5.0 / 8, 0.02);
}

// End points alone decide nothing: a curve that ends low after going up and down is not steady.
TEST(Rule, steadily_is_about_all_of_a_curve) {
  Curves steadily, ends;
  for (int seed = 0; seed < 10; ++seed) {
    steadily.x.push_back({1, 2, 3, 4, 5, 6});
    steadily.y.push_back({9, 8, 6, 5, 4.5, 1});
    ends.x.push_back({1, 2, 3, 4, 5, 6});
    ends.y.push_back({9, 3, 4, 5, 6, 1});
  }
  std::vector<Rule> rules{falls("steady", "", steadily), falls("ends", "", ends), rises("rises", "", steadily)};
  decide(rules);
  EXPECT_EQ(rules[0].outcome, Outcome::holds);
  EXPECT_EQ(rules[1].outcome, Outcome::fails);
  EXPECT_EQ(rules[2].outcome, Outcome::fails);
}

TEST(Rule, fast_compares_slopes_above_the_floor) {
  Curves fast, slow;
  for (int seed = 0; seed < 10; ++seed) {
    Seeds x, quick, tardy;
    for (double at = 10; at < 1e5; at *= 2) {
      x.push_back(at);
      quick.push_back(std::max(10 / at, 0.01));  // stays at its floor from 1000 on
      tardy.push_back(std::pow(at, -0.2));
    }
    fast.x.push_back(x), fast.y.push_back(quick);
    slow.x.push_back(x), slow.y.push_back(tardy);
  }
  const Seeds floor(10, 0.02);
  std::vector<Rule> rules{steeper("fast", "", fast, -0.5, floor), steeper("slow", "", slow, -0.5, floor)};
  decide(rules);
  EXPECT_EQ(rules[0].outcome, Outcome::holds);
  EXPECT_NEAR(rules[0].effect, -1, 0.05);
  EXPECT_EQ(rules[1].outcome, Outcome::fails);
}

TEST(Rule, every_part_must_hold) {
  const Rule good = below("good", "", Seeds(10, -1.0), 0), bad = below("bad", "", Seeds(10, 1.0), 0),
             sure = certain("sure", "", 0, 1), unsure = certain("unsure", "", 1, 0);
  std::vector<Rule> rules{every("both", "", {good, sure}), every("one", "", {good, bad}),
                          every("certainly", "", {sure}), every("certainly not", "", {good, unsure}),
                          every("nothing", "", {})};
  decide(rules);
  EXPECT_EQ(rules[0].outcome, Outcome::holds);
  EXPECT_EQ(rules[2].outcome, Outcome::holds);
  for (const std::size_t i : {1, 3, 4}) EXPECT_EQ(rules[i].outcome, Outcome::fails) << rules[i].name;
}

TEST(Verdict, says_which_experiments_did_not_confirm) {
  const Rule good = below("as thought", "", Seeds(10, -1.0), 0), bad = below("a guess", "", Seeds(10, 1.0), 0);
  const Verdict verdict({{bad}, {good, bad}}, {"Seen.", {"Because of this.", "And of that."}});
  EXPECT_EQ(verdict.word(), "does not hold");
  EXPECT_EQ(verdict.reason(), "Because of this. Expected, and not confirmed by its own rule: a guess (1 against 0).");
  EXPECT_EQ(Verdict({{good}, {}}, {"", {}}).word(), "holds");
  EXPECT_EQ(Verdict({{good, bad}, {}}, {"", {}}).word(), "holds in part");
  EXPECT_EQ(Verdict({{below("few", "", {-1, -1}, 0), bad}, {}}, {"", {}}).word(), "undecided");
  EXPECT_EQ(Verdict().word(), "not measured");
}

}  // namespace
}  // namespace mercer::paper

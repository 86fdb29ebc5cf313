#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Returns = std::vector<double>;

// By hand: squared deviations from 2.5 sum to 5, so std = sqrt(5 / 3); t(0.975, 3) = 3.182446 from the tables.
TEST(Summarise, equals_numbers_worked_out_by_hand) {
  const ReturnSummary summary = summarise(Returns{1, 2, 3, 4});
  EXPECT_EQ(summary.mean, 2.5);
  EXPECT_NEAR(summary.std, std::sqrt(5.0 / 3), 1e-15);
  const double radius = 3.182446 * std::sqrt(5.0 / 3) / 2;
  EXPECT_NEAR(summary.ci95.low, 2.5 - radius, 1e-6);
  EXPECT_NEAR(summary.ci95.high, 2.5 + radius, 1e-6);
}

TEST(Summarise, equal_returns_have_no_spread) {
  const ReturnSummary summary = summarise(Returns(7, -200));
  EXPECT_EQ(summary.mean, -200);
  EXPECT_EQ(summary.std, 0);
  EXPECT_EQ(summary.ci95.low, -200);
  EXPECT_EQ(summary.ci95.high, -200);
}

// The textbook formula sum x^2 - n mean^2 would have nothing left of a spread of 1 on top of 1e9.
TEST(Summarise, keeps_a_small_spread_on_a_large_mean) {
  EXPECT_NEAR(summarise(Returns{1e9, 1e9 + 1, 1e9 + 2}).std, 1, 1e-12);
}

TEST(Summarise, spread_of_a_single_episode_is_unknown) {
  const ReturnSummary summary = summarise(Returns{3});
  EXPECT_EQ(summary.mean, 3);
  EXPECT_TRUE(std::isnan(summary.std));
  EXPECT_TRUE(std::isnan(summary.ci95.low));
  EXPECT_TRUE(std::isnan(summary.ci95.high));
}

TEST(Summarise, needs_an_episode) {
  expect_error(ErrorCode::shape_mismatch, "no episodes", [] { summarise(Returns{}); });
}

// 95 % of 4000 intervals, give or take 0.34 % (the standard deviation of such a share): 2 % is nearly six of those.
TEST(Summarise, interval_holds_the_mean_95_times_in_100) {
  constexpr int repeats = 4000;
  int held = 0;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    Random random({11, Stage::task, repeat, 0});
    Returns returns(10);
    for (double& value : returns) value = 100 + 15 * random.normal();
    const Range interval = summarise(returns).ci95;
    if (interval.low <= 100 && 100 <= interval.high) ++held;
  }
  EXPECT_GT(held, 0.93 * repeats);
  EXPECT_LT(held, 0.97 * repeats);
}

// Differences 1 and 3: mean 2, std sqrt(2), so the radius is t(0.975, 1) sqrt(2) / sqrt(2) = 12.7062 (tables).
TEST(PairedLoss, equals_numbers_worked_out_by_hand) {
  const PairedLoss loss = paired_loss(Returns{10, 12}, Returns{9, 9});
  EXPECT_EQ(loss.loss_mean, 2);
  EXPECT_NEAR(loss.loss_percent, 200.0 / 11, 1e-13);  // of the mean 11
  EXPECT_NEAR(loss.ci95_percent.low, (2 - 12.7062) * 100 / 11, 1e-3);
  EXPECT_NEAR(loss.ci95_percent.high, (2 + 12.7062) * 100 / 11, 1e-3);
}

TEST(PairedLoss, is_positive_when_the_second_policy_is_worse_whatever_the_sign_of_returns) {
  const PairedLoss worse = paired_loss(Returns{-100, -100}, Returns{-110, -110});
  EXPECT_EQ(worse.loss_mean, 10);
  EXPECT_NEAR(worse.loss_percent, 10, 1e-13);
  EXPECT_NEAR(worse.ci95_percent.low, 10, 1e-13);
  EXPECT_NEAR(worse.ci95_percent.high, 10, 1e-13);
  const PairedLoss better = paired_loss(Returns{-100, -100}, Returns{-80, -80});
  EXPECT_EQ(better.loss_mean, -20);
  EXPECT_NEAR(better.loss_percent, -20, 1e-13);
  EXPECT_LE(better.ci95_percent.low, better.ci95_percent.high);
}

// Start states that differ by hundreds do not matter when both policies get the same ones.
TEST(PairedLoss, interval_is_that_of_the_differences) {
  const PairedLoss loss = paired_loss(Returns{100, 500, 900}, Returns{99, 499, 899});
  EXPECT_EQ(loss.loss_mean, 1);
  EXPECT_NEAR(loss.ci95_percent.width(), 0, 1e-12);
}

TEST(PairedLoss, needs_the_same_episodes) {
  expect_error(ErrorCode::shape_mismatch, "2 episodes cannot be paired with 1", [] {
    paired_loss(Returns{1, 2}, Returns{1});
  });
  expect_error(ErrorCode::shape_mismatch, "no episodes", [] { paired_loss(Returns{}, Returns{}); });
}

TEST(PairedLoss, in_percent_of_nothing_is_unknown) {
  const PairedLoss loss = paired_loss(Returns{-1, 1}, Returns{0, 1});
  EXPECT_EQ(loss.loss_mean, -0.5);
  EXPECT_TRUE(std::isnan(loss.loss_percent));
  EXPECT_TRUE(std::isnan(loss.ci95_percent.low) && std::isnan(loss.ci95_percent.high));
}

TEST(PairedLoss, interval_of_a_single_pair_is_unknown) {
  const PairedLoss loss = paired_loss(Returns{4}, Returns{3});
  EXPECT_EQ(loss.loss_percent, 25);
  EXPECT_TRUE(std::isnan(loss.ci95_percent.low));
  EXPECT_TRUE(std::isnan(loss.ci95_percent.high));
}

}  // namespace
}  // namespace mercer

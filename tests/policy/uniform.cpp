#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/errors.hpp"
#include "support/plain_task.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

constexpr std::size_t count = 20000;

const Space box = Space::box({{"a", {-2, 2}, "", false}, {"b", {0, 5}, "", false}});

// One row per action dimension, for items 0 .. count-1 of a step.
std::vector<double> draw(const UniformPolicy& policy, std::uint64_t seed, std::uint32_t step = 0) {
  std::vector<std::uint64_t> items(count);
  for (std::size_t i = 0; i < count; ++i) items[i] = i;
  const std::size_t dimensions = policy.action_space().dimensions();
  std::vector<double> observation(count), action(dimensions * count);
  policy.sample(MatrixView<const double>(observation.data(), 1, count), {seed, Stage::action, step, items},
                {action.data(), dimensions, count});
  return action;
}

TEST(UniformPolicy, is_spread_over_the_box) {
  const UniformPolicy policy(plain_task(1, box));
  const std::vector<double> actions = draw(policy, 1);
  for (std::size_t d = 0; d < 2; ++d) {
    const Range range = box.axes[d].range;
    const auto begin = actions.begin() + static_cast<std::ptrdiff_t>(d * count);
    const std::vector<double> row(begin, begin + count);
    const auto [low, high] = std::ranges::minmax(row);
    EXPECT_GE(low, range.low);
    EXPECT_LE(high, range.high);
    EXPECT_LE(ks_distance_to_uniform(row, range.low, range.high), ks_limit(count));
    // Mean: the middle, give or take width / sqrt(12 n). Variance: width^2 / 12, give or take width^2 / sqrt(180 n).
    const double n = count, width = range.width();
    const SampleMean sample(row);
    EXPECT_NEAR(sample.mean, (range.low + range.high) / 2, 5 * width / std::sqrt(12 * n));
    EXPECT_NEAR(sample.error * sample.error * n, width * width / 12, 5 * width * width / std::sqrt(180 * n));
  }
  double products = 0;  // the two dimensions are drawn apart: their covariance is about w1 w2 / 12 / sqrt(n)
  for (std::size_t i = 0; i < count; ++i) products += (actions[i] - 0) * (actions[count + i] - 2.5);
  EXPECT_NEAR(products / count, 0, 5 * 4 * 5 / 12.0 / std::sqrt(count));
}

TEST(UniformPolicy, draws_by_its_keys) {
  const UniformPolicy policy(plain_task(1, box));
  EXPECT_EQ(draw(policy, 1), draw(policy, 1));
  EXPECT_NE(draw(policy, 1), draw(policy, 2));
  EXPECT_NE(draw(policy, 1, 0), draw(policy, 1, 1));
}

// Each of m actions comes up n/m times, give or take sqrt(n (1/m) (1 - 1/m)); five of those.
TEST(UniformPolicy, picks_each_discrete_action_equally_often) {
  for (const std::size_t m : {1, 2, 7}) {
    const UniformPolicy policy(plain_task(1, Space::discrete("action", m)));
    std::vector<int> hits(m);
    for (const double action : draw(policy, 3)) {
      ASSERT_EQ(action, std::floor(action));
      ++hits.at(static_cast<std::size_t>(action));
    }
    const double n = count, p = 1.0 / static_cast<double>(m);
    for (const int h : hits) EXPECT_NEAR(h, n * p, 5 * std::sqrt(n * p * (1 - p)));
  }
}

std::vector<double> log_prob(const UniformPolicy& policy, std::vector<double> action) {
  const std::size_t dimensions = policy.action_space().dimensions();
  const std::size_t columns = action.size() / dimensions;
  std::vector<double> observation(columns), out(columns);
  policy.log_prob(MatrixView<const double>(observation.data(), 1, columns),
                  MatrixView<const double>(action.data(), dimensions, columns), out);
  return out;
}

TEST(UniformPolicy, density_is_one_over_the_volume) {
  const UniformPolicy policy(plain_task(1, box));
  const double inside = -std::log(4 * 5);
  // Columns: inside, two corners, outside in either dimension, NaN.
  const std::vector<double> out = log_prob(policy, {0, -2, 2, 2.01, 0, NAN, 1, 0, 5, 1, -0.01, 1});
  for (const std::size_t i : {0, 1, 2}) EXPECT_NEAR(out[i], inside, 1e-15);
  for (const std::size_t i : {3, 4, 5}) EXPECT_EQ(out[i], -HUGE_VAL);
}

TEST(UniformPolicy, probability_is_one_over_the_count) {
  const UniformPolicy policy(plain_task(1, Space::discrete("action", 5)));
  const std::vector<double> out = log_prob(policy, {0, 4, 5, -1, 1.5});
  for (const std::size_t i : {0, 1}) EXPECT_NEAR(out[i], -std::log(5), 1e-15);
  for (const std::size_t i : {2, 3, 4}) EXPECT_EQ(out[i], -HUGE_VAL);
}

TEST(UniformPolicy, mean_is_the_middle_or_the_first_of_equals) {
  std::vector<double> observation(3), action(6, -1);
  const MatrixView<const double> seen(observation.data(), 1, 3);
  UniformPolicy(plain_task(1, box)).mean_action(seen, {action.data(), 2, 3});
  EXPECT_EQ(action, (std::vector<double>{0, 0, 0, 2.5, 2.5, 2.5}));
  UniformPolicy(plain_task(1, Space::discrete("action", 4))).mean_action(seen, {action.data(), 1, 3});
  EXPECT_EQ(action[0], 0);
}

TEST(UniformPolicy, needs_finite_bounds) {
  expect_error(ErrorCode::out_of_range, "action 'push' goes from 0 to inf", [] {
    UniformPolicy(plain_task(1, Space::box({{"push", {0, HUGE_VAL}, "", false}})));
  });
}

}  // namespace
}  // namespace mercer

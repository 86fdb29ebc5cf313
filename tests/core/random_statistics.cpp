#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"

// Seeds are fixed, so these tests give the same answer every time; six standard errors would be missed by a right
// generator for one seed in 500 million.

namespace mercer {
namespace {

constexpr std::size_t count = 1'000'000;
constexpr double n = count;

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};
Moments moments_of(const std::vector<double>& values) {
  Moments m;
  for (const double x : values) m.mean += x / n;
  double third = 0, fourth = 0;
  for (const double x : values) {
    const double d = x - m.mean;
    m.variance += d * d / n;
    third += d * d * d / n;
    fourth += d * d * d * d / n;
  }
  m.skew = third / std::pow(m.variance, 1.5);
  m.kurtosis = fourth / (m.variance * m.variance);
  return m;
}

// One value from each of many items, as a rollout draws them: the counter is what must be mixed well.
template <class Draw>
std::vector<double> one_per_item(Draw draw) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    Random random({2024, Stage::transition, i, 1});
    values[i] = draw(random);
  }
  return values;
}

TEST(Uniform, lies_in_the_unit_interval_with_its_mean_and_variance) {
  const std::vector<double> values = one_per_item([](Random& random) { return random.uniform(); });
  for (const double u : values) {
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    ASSERT_EQ(std::ldexp(u, 53), std::floor(std::ldexp(u, 53)));  // a multiple of 2^-53
  }
  const Moments m = moments_of(values);
  EXPECT_NEAR(m.mean, 0.5, 6 * std::sqrt(1.0 / 12 / n));
  // Var((U - 1/2)^2) = E(U - 1/2)^4 - (1/12)^2 = 1/80 - 1/144 = 1/180.
  EXPECT_NEAR(m.variance, 1.0 / 12, 6 * std::sqrt(1.0 / 180 / n));
}

// A chi-square variable with k degrees has mean k and variance 2 k. Both tails: too even is wrong as well.
TEST(Uniform, fills_64_bins_evenly) {
  std::array<double, 64> bins{};
  for (const double u : one_per_item([](Random& random) { return random.uniform(); })) ++bins[std::size_t(u * 64)];
  double chi_square = 0;
  for (const double seen : bins) chi_square += (seen - n / 64) * (seen - n / 64) / (n / 64);
  EXPECT_NEAR(chi_square, 63, 6 * std::sqrt(2.0 * 63));
}

TEST(Uniform, neighbouring_items_and_draws_are_uncorrelated) {
  const std::vector<double> values = one_per_item([](Random& random) { return random.uniform(); });
  const std::vector<double> next = one_per_item([](Random& random) { return random.uniform(), random.uniform(); });
  double items = 0, draws = 0;
  for (std::size_t i = 0; i < count; ++i) {
    items += (values[i] - 0.5) * (values[(i + 1) % count] - 0.5) / n;
    draws += (values[i] - 0.5) * (next[i] - 0.5) / n;
  }
  // The product of two independent centred uniforms has variance (1/12)^2.
  EXPECT_NEAR(items, 0, 6 * std::sqrt(1.0 / 144 / n));
  EXPECT_NEAR(draws, 0, 6 * std::sqrt(1.0 / 144 / n));
}

TEST(Normal, has_the_moments_and_the_tail_of_a_standard_normal) {
  const std::vector<double> values = one_per_item([](Random& random) { return random.normal(); });
  // Standard errors of the sample moments of a normal: sqrt(1/n), sqrt(2/n), sqrt(6/n), sqrt(24/n).
  const Moments m = moments_of(values);
  EXPECT_NEAR(m.mean, 0, 6 * std::sqrt(1 / n));
  EXPECT_NEAR(m.variance, 1, 6 * std::sqrt(2 / n));
  EXPECT_NEAR(m.skew, 0, 6 * std::sqrt(6 / n));
  EXPECT_NEAR(m.kurtosis, 3, 6 * std::sqrt(24 / n));
  const auto outside = std::count_if(values.begin(), values.end(), [](double x) { return std::abs(x) > 3; });
  const double tail = std::erfc(3 / std::sqrt(2.0));  // P(|X| > 3) = 0.0027
  EXPECT_NEAR(static_cast<double>(outside) / n, tail, 6 * std::sqrt(tail * (1 - tail) / n));
}

TEST(Categorical, frequencies_follow_weights_that_need_not_sum_to_one) {
  const std::vector<double> weights{0, 3, 0, 0.5, 6.5, 0};  // sum 10
  std::array<double, 6> seen{};
  for (std::size_t i = 0; i < count; ++i) ++seen[Random({7, Stage::action, i, 0}).categorical(weights)];
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const double p = weights[k] / 10;
    EXPECT_NEAR(seen[k] / n, p, 6 * std::sqrt(p * (1 - p) / n)) << k;  // for weight zero: never
  }
}

TEST(Categorical, takes_one_draw_and_the_only_possible_index) {
  Random random({1, Stage::action, 0, 0});
  Random beside({1, Stage::action, 0, 0});
  EXPECT_EQ(random.categorical(std::vector<double>{0, 0, 1e-300, 0}), 2U);
  beside.uniform();
  EXPECT_EQ(random.bits(), beside.bits());
}

}  // namespace
}  // namespace mercer

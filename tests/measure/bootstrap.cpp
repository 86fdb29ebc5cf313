#include <cmath>

#include <gtest/gtest.h>

#include "measure/special.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

Numbers normals(std::size_t count, std::uint64_t item) {
  Numbers x(count);
  Random random({5, Stage::task, item, 0});
  for (double& value : x) value = 100 + 3 * random.normal();
  return x;
}

TEST(Bootstrap, agrees_with_student_on_normal_means) {
  const Numbers x = normals(400, 0);
  const Range student = student_t_interval(x, 0.05);
  for (const bool corrected : {false, true}) {
    const Range found =
        bootstrap_interval(x, Statistic::mean, 0.05, Sides::two, {.resamples = 20000, .corrected = corrected});
    EXPECT_NEAR(found.low, student.low, 0.02);
    EXPECT_NEAR(found.high, student.high, 0.02);
  }
}

TEST(Bootstrap, covers_the_spread_of_normal_numbers) {
  std::size_t percentile = 0, corrected = 0, chi_square = 0;
  for (std::uint64_t r = 0; r < 300; ++r) {
    const Numbers x = normals(100, r);
    const auto holds = [](const Range& range) { return range.low <= 3 && 3 <= range.high ? 1 : 0; };
    percentile += holds(
        bootstrap_interval(x, Statistic::std, 0.05, Sides::two, {.resamples = 500, .seed = r, .corrected = false}));
    const Spread spread = spread_of(x, 0.95, r);
    corrected += holds(spread.bootstrap);
    chi_square += holds(spread.normal_theory);
  }
  EXPECT_GE(percentile, 260u);
  EXPECT_GE(corrected, 270u);
  EXPECT_NEAR(static_cast<double>(chi_square), 285, 12);
}

TEST(Bootstrap, gives_the_same_for_any_number_of_threads) {
  const Numbers x = normals(50, 1);
  const Range all = bootstrap_interval(x, Statistic::std, 0.1);
  const ThreadLimit one(1);
  const Range single = bootstrap_interval(x, Statistic::std, 0.1);
  EXPECT_EQ(all.low, single.low);
  EXPECT_EQ(all.high, single.high);
  EXPECT_TRUE(std::isinf(bootstrap_interval(x, Statistic::std, 0.1, Sides::upper).low));
}

TEST(Bootstrap, refuses_too_few) {
  expect_error(ErrorCode::shape_mismatch, "needed: 3", [] { bootstrap_interval(Numbers{1, 2}, Statistic::mean, 0.1); });
  expect_error(ErrorCode::out_of_range, "resamples", [] {
    bootstrap_interval(Numbers{1, 2, 3}, Statistic::mean, 0.1, Sides::two, {.resamples = 3});
  });
}

// Known values: chi-square with 2 degrees is exponential with mean 2; tables for the others.
TEST(Special, quantiles_of_chi_square_and_normal) {
  for (const double p : {0.001, 0.3, 0.999}) EXPECT_NEAR(chi_square_quantile(p, 2), -2 * std::log1p(-p), 1e-11);
  EXPECT_NEAR(chi_square_quantile(0.975, 10), 20.483177350807395, 1e-11);
  EXPECT_NEAR(chi_square_quantile(0.025, 999) / 913.3009983021134, 1, 1e-9);
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  EXPECT_EQ(normal_probability(0), 0.5);
}

}  // namespace
}  // namespace mercer

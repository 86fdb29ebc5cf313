#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

void expect_range(const Range& found, const nlohmann::json& golden, const char* name) {
  EXPECT_NEAR(found.low, golden.at(name).at(0).get<double>(), 1e-9) << name;
  EXPECT_NEAR(found.high, golden.at(name).at(1).get<double>(), 1e-9) << name;
}

TEST(Intervals, equal_the_golden_ones) {
  const nlohmann::json cases = read_golden("theory/confidence.json").at("cases");
  ASSERT_EQ(cases.size(), 3u);
  for (const nlohmann::json& golden : cases) {
    const auto x = golden.at("x").get<Numbers>();
    const Range range{golden.at("a").get<double>(), golden.at("b").get<double>()};
    const double delta = golden.at("delta").get<double>();
    expect_range(hoeffding_interval(x, range, delta), golden, "hoeffding");
    expect_range(empirical_bernstein_interval(x, range, delta), golden, "empirical_bernstein");
    expect_range(student_t_interval(x, delta), golden, "student_t");
    expect_range(predictable_bernstein_interval(x, range, delta), golden, "wsr_prpl_eb");
  }
}

TEST(ClopperPearson, equals_the_golden_bounds) {
  const nlohmann::json cases = read_golden("theory/pruning.json").at("clopper_pearson_upper");
  ASSERT_FALSE(cases.empty());
  for (const nlohmann::json& golden : cases) {
    const Range found =
        clopper_pearson_interval(golden.at("hits").get<std::size_t>(), golden.at("n").get<std::size_t>(),
                                 golden.at("delta").get<double>(), Sides::upper);
    EXPECT_NEAR(found.high, golden.at("upper").get<double>(), 1e-12);
    EXPECT_EQ(found.low, 0);
  }
}

// The probability of `hits` or fewer at the upper end is exactly what is left to chance, and the same mirrored.
TEST(ClopperPearson, ends_are_where_the_binomial_tails_are_delta) {
  const auto at_most = [](int hits, int n, double p) {
    double sum = 0;
    for (int k = 0; k <= hits; ++k) {
      sum += std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) + k * std::log(p) +
                      (n - k) * std::log1p(-p));
    }
    return sum;
  };
  for (const int hits : {1, 4, 17}) {
    const Range found = clopper_pearson_interval(static_cast<std::size_t>(hits), 20, 0.1);
    EXPECT_NEAR(at_most(hits, 20, found.high), 0.05, 1e-9);
    EXPECT_NEAR(1 - at_most(hits - 1, 20, found.low), 0.05, 1e-9);
  }
  EXPECT_EQ(clopper_pearson_interval(0, 20, 0.1).low, 0);
  EXPECT_EQ(clopper_pearson_interval(20, 20, 0.1).high, 1);
}

using Interval = Range (*)(std::span<const double>, Range, double, Sides);
template <bool anytime>
Range betting_for(std::span<const double> x, Range range, double delta, Sides sides) {
  return betting_interval(x, range, delta, sides, anytime);
}
constexpr Interval guaranteed[] = {hoeffding_interval, empirical_bernstein_interval, predictable_bernstein_interval,
                                   betting_for<false>, betting_for<true>};

TEST(Intervals, one_side_at_delta_is_two_sides_at_twice_delta) {
  const Numbers x{0.1, 0.9, 0.4, 0.3, 0.35, 0.2, 0.8, 0.15};
  for (const Interval interval : guaranteed) {
    const Range two = interval(x, {0, 1}, 0.1, Sides::two);
    const Range low = interval(x, {0, 1}, 0.05, Sides::lower), high = interval(x, {0, 1}, 0.05, Sides::upper);
    EXPECT_NEAR(two.low, low.low, 1e-12);
    EXPECT_NEAR(two.high, high.high, 1e-12);
    EXPECT_TRUE(std::isinf(low.high) && std::isinf(high.low));
  }
  const Range two = student_t_interval(x, 0.1);
  EXPECT_NEAR(student_t_interval(x, 0.05, Sides::upper).high, two.high, 1e-12);
}

TEST(Intervals, move_and_scale_with_the_numbers) {
  const Numbers x{0.1, 0.9, 0.4, 0.3, 0.35, 0.2, 0.8, 0.15};
  Numbers moved;
  for (const double value : x) moved.push_back(50 * value - 7);
  for (const Interval interval : guaranteed) {
    const Range plain = interval(x, {0, 1}, 0.1, Sides::two), other = interval(moved, {-7, 43}, 0.1, Sides::two);
    EXPECT_NEAR(50 * plain.low - 7, other.low, 1e-9);
    EXPECT_NEAR(50 * plain.high - 7, other.high, 1e-9);
  }
}

TEST(Intervals, refuse_what_they_cannot_hold_for) {
  const Numbers x{0.5, 2};
  for (const Interval interval : guaranteed) {
    expect_error(ErrorCode::out_of_range, "declared range", [&] { interval(x, {0, 1}, 0.1, Sides::two); });
    expect_error(ErrorCode::out_of_range, "probability of a miss", [&] { interval(x, {0, 3}, 0, Sides::two); });
    expect_error(ErrorCode::shape_mismatch, "0 numbers", [&] { interval({}, {0, 3}, 0.1, Sides::two); });
    expect_error(ErrorCode::not_finite, "range", [&] { interval(x, {0, INFINITY}, 0.1, Sides::two); });
    expect_error(ErrorCode::not_finite, "nan", [&] { interval(Numbers{NAN, 1}, {0, 1}, 0.1, Sides::two); });
  }
  expect_error(ErrorCode::shape_mismatch, "needed: 2", [] { student_t_interval(Numbers{1}, 0.1); });
  expect_error(ErrorCode::out_of_range, "5 hits in 4", [] { clopper_pearson_interval(5, 4, 0.1); });
}

}  // namespace
}  // namespace mercer

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

void check(const std::vector<double>& probabilities) { check_distribution(probabilities, "P[3][0]"); }

TEST(CheckDistribution, accepts_probabilities) {
  EXPECT_NO_THROW(check({1}));
  EXPECT_NO_THROW(check({0, 1, 0}));
  EXPECT_NO_THROW(check(std::vector<double>(1000, 1e-3)));
}

TEST(CheckDistribution, forgives_what_printed_decimals_miss) {
  EXPECT_NO_THROW(check({0.333333, 0.333333, 0.333333}));  // sums to 1 - 1e-6, and a little rounding
  EXPECT_NO_THROW(check({1 + 9e-7}));
  expect_error(ErrorCode::bad_distribution, "P[3][0] sums to", [] { check({0.333332, 0.333333, 0.333333}); });
  expect_error(ErrorCode::bad_distribution, "P[3][0] sums to 1.0000", [] { check({0.5, 0.5 + 1.1e-6}); });
}

TEST(CheckDistribution, names_the_entry_that_is_no_probability) {
  expect_error(ErrorCode::bad_distribution, "P[3][0][1] is -0.5; legal: 0 to 1", [] { check({1, -0.5, 0.5}); });
  expect_error(ErrorCode::bad_distribution, "P[3][0][0] is 1.5", [] { check({1.5, -0.5}); });
  expect_error(ErrorCode::bad_distribution, "P[3][0][2] is nan", [] {
    check({0.5, 0.5, std::numeric_limits<double>::quiet_NaN()});
  });
  expect_error(ErrorCode::bad_distribution, "P[3][0][0] is inf",
               [] { check({std::numeric_limits<double>::infinity()}); });
}

TEST(CheckDistribution, refuses_no_probabilities_at_all) {
  expect_error(ErrorCode::bad_distribution, "sums to 0", [] { check({}); });
}

}  // namespace
}  // namespace mercer

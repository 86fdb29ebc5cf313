#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "measure/special.hpp"

namespace mercer {
namespace {

const std::vector<double> probabilities{1e-20, 1e-9, 1e-3, 0.025, 0.1, 0.25, 0.4, 0.6, 0.75, 0.9, 0.975, 0.999};

TEST(StudentT, one_degree_is_cauchy) {
  for (const double p : probabilities) {
    // tan(pi (p - 1/2)), written so that small p are not lost in the 1/2.
    const double expected = -1 / std::tan(std::numbers::pi * p);
    EXPECT_NEAR(student_t_quantile(p, 1), expected, std::abs(expected) * 1e-12) << p;
  }
}

TEST(StudentT, two_degrees_have_a_closed_form) {
  for (const double p : probabilities) {
    const double expected = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_t_quantile(p, 2), expected, std::abs(expected) * 1e-12) << p;
  }
}

// Two-sided 95 % points as every table has them.
TEST(StudentT, equals_the_tables) {
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_quantile(0.975, 5), 2.570582, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 10), 2.228139, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 30), 2.042272, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.975, 100), 1.983972, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.95, 10), 1.812461, 5e-7);
  EXPECT_NEAR(student_t_quantile(0.995, 10), 3.169273, 5e-7);
}

// The normal's 1.959964 (tables), plus z (z^2 + 1) / (4 degrees) in the first order.
TEST(StudentT, tends_to_the_normal) {
  constexpr double z = 1.959963984540054;
  for (const double degrees : {1e4, 1e5, 1e6, 1e7}) {
    EXPECT_NEAR(student_t_quantile(0.975, degrees), z + z * (z * z + 1) / (4 * degrees),
                10 / (degrees * degrees) + 1e-9);
  }
}

TEST(StudentT, is_antisymmetric_about_one_half) {
  for (const double degrees : {0.5, 1.0, 3.0, 50.0, 1234.0}) {
    EXPECT_EQ(student_t_quantile(0.5, degrees), 0);
    for (const double p : {0.125, 0.25, 0.375}) {  // 1 - p is exact
      EXPECT_EQ(student_t_quantile(p, degrees), -student_t_quantile(1 - p, degrees));
      EXPECT_LT(student_t_quantile(p, degrees), 0);
    }
  }
}

TEST(StudentT, grows_with_p_and_shrinks_with_degrees) {
  for (const double degrees : {1.0, 4.0, 99.0}) {
    for (std::size_t i = 1; i < probabilities.size(); ++i) {
      EXPECT_LT(student_t_quantile(probabilities[i - 1], degrees), student_t_quantile(probabilities[i], degrees));
    }
    EXPECT_GT(student_t_quantile(0.975, degrees), student_t_quantile(0.975, degrees + 1));
  }
}

// 1 - delta rounds to 1 for the smallest levels that an interval takes.
TEST(StudentT, is_infinite_at_one) {
  for (const double degrees : {1.0, 5.0, 99.0}) EXPECT_EQ(student_t_quantile(1, degrees), INFINITY);
}

}  // namespace
}  // namespace mercer

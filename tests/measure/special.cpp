#include "measure/special.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

namespace mercer {
namespace {

constexpr double allowed = 1e-14;  // what the header promises, relative to the value

void expect_beta(double a, double b, double x, double expected) {
  EXPECT_NEAR(incomplete_beta(a, b, x), expected, expected * allowed) << a << " " << b << " " << x;
}

// Fractions of 1024: 1 - x is then exact.
std::vector<double> sweep() {
  std::vector<double> x;
  for (int i = 1; i < 1024; i += 7) x.push_back(i / 1024.0);
  return x;
}

TEST(IncompleteBeta, is_zero_and_one_at_the_ends) {
  for (const double a : {0.5, 1.0, 30.0}) {
    EXPECT_EQ(incomplete_beta(a, 2, 0), 0);
    EXPECT_EQ(incomplete_beta(a, 2, 1), 1);
  }
}

TEST(IncompleteBeta, equals_its_closed_forms) {
  for (const double x : sweep()) {
    expect_beta(1, 1, x, x);
    expect_beta(2, 3, x, x * x * (6 - 8 * x + 3 * x * x));  // the integral of 12 x (1 - x)^2
    expect_beta(0.5, 0.5, x, 2 / std::numbers::pi * std::asin(std::sqrt(x)));
    for (const double c : {0.25, 2.5, 40.0}) {
      expect_beta(c, 1, x, std::pow(x, c));
      expect_beta(1, c, x, -std::expm1(c * std::log1p(-x)));  // 1 - (1 - x)^c
    }
  }
}

TEST(IncompleteBeta, mirrors_when_a_and_b_change_places) {
  for (const double a : {0.5, 1.5, 7.0, 120.0}) {
    for (const double b : {0.5, 3.0, 33.3}) {
      for (const double x : sweep()) {
        EXPECT_NEAR(incomplete_beta(a, b, x) + incomplete_beta(b, a, 1 - x), 1, 2 * allowed) << a << " " << b;
      }
    }
  }
}

// For whole a and b it is the chance of at least a successes in a + b - 1 trials, summed here term by term.
long double binomial_tail(int a, int b, long double x) {
  const int trials = a + b - 1;
  long double sum = 0;
  for (int j = a; j <= trials; ++j) {
    const long double ways = std::lgamma(trials + 1.0L) - std::lgamma(j + 1.0L) - std::lgamma(trials - j + 1.0L);
    sum += std::exp(ways + j * std::log(x) + (trials - j) * std::log1p(-x));
  }
  return sum;
}

TEST(IncompleteBeta, equals_binomial_sums) {
  for (const int a : {1, 2, 5, 20, 100, 1000, 5000}) {
    for (const int b : {1, 3, 10, 40, 200, 1000}) {
      for (const double x : {0.001, 0.02, 0.1, 0.3, 0.5, 0.75, 0.9, 0.99}) {
        const auto expected = static_cast<double>(binomial_tail(a, b, x));
        if (expected > 1e-290) expect_beta(a, b, x, expected);  // below, the sum's own terms are not whole doubles
      }
    }
  }
}

TEST(InverseIncompleteBeta, is_zero_and_one_at_the_ends) {
  EXPECT_EQ(inverse_incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(inverse_incomplete_beta(2, 3, 1), 1);
}

// The x with I_x = p: a hair to the left the function is not above p, a hair to the right not below.
TEST(InverseIncompleteBeta, undoes_the_function) {
  for (const double a : {0.5, 1.0, 2.0, 15.5, 300.0}) {
    for (const double b : {0.5, 1.0, 2.0, 3.0, 4.0, 80.0}) {
      for (const double p : {1e-12, 1e-11, 1e-3, 0.025, 0.3, 0.5, 0.7, 0.975, 0.999}) {
        const double x = inverse_incomplete_beta(a, b, p);
        const double left = std::nextafter(x, 0.0), right = std::nextafter(x, 1.0);
        const double slack = p * allowed;
        EXPECT_LE(incomplete_beta(a, b, left), p + slack) << a << " " << b << " " << p;
        EXPECT_GE(incomplete_beta(a, b, right), p - slack) << a << " " << b << " " << p;
      }
    }
  }
}

TEST(InverseIncompleteBeta, equals_its_closed_forms) {
  for (const double p : {1e-300, 1e-9, 0.01, 0.25, 0.5, 0.9, 0.9999}) {
    EXPECT_NEAR(inverse_incomplete_beta(1, 1, p), p, p * 1e-13);
    EXPECT_NEAR(inverse_incomplete_beta(2, 1, p), std::sqrt(p), std::sqrt(p) * 1e-13);
    const double last = -std::expm1(std::log1p(-p) / 20);  // 1 - (1 - p)^(1/20)
    EXPECT_NEAR(inverse_incomplete_beta(1, 20, p), last, last * 1e-12);
  }
}

}  // namespace
}  // namespace mercer

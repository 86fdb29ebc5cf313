#include "core/sincos.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "support/sincos_functions.hpp"

namespace mercer {
namespace {

// The largest error in units in the last place of the exact result. Long double knows that to 1/2048 of a unit.
double worst_error(const TrigonometricFunction& function, const std::vector<double>& x) {
  const std::vector<double> result = function(x);
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double exact = function.exact(x[i]);
    const double size = std::abs(static_cast<double>(exact));
    const double unit = std::nextafter(size, 2.0) - size;
    worst = std::max(worst, static_cast<double>(std::abs(result[i] - exact) / unit));
  }
  return worst;
}

void expect_errors_below(double promised, const char* where, const std::vector<double>& x) {
  for (const TrigonometricFunction& function : trigonometric_functions()) {
    const double worst = worst_error(function, x);
    std::cout << function.name << ", " << where << ": at most " << worst << " ulp over " << x.size() << " angles\n";
    EXPECT_LT(worst, promised) << function.name;
  }
}

// One angle anywhere in each of a million equal cells.
std::vector<double> dense_sweep(double low, double high) {
  constexpr std::size_t cells = 1'000'000;
  std::vector<double> x(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const double place = static_cast<double>(i) + Random({1, Stage::task, i, 0}).uniform();
    x[i] = low + (high - low) * place / cells;
  }
  return x;
}

// The promises are the header's.
TEST(Sincos, error_within_a_few_turns) { expect_errors_below(2.5, "|x| <= 20", dense_sweep(-20, 20)); }

TEST(Sincos, error_over_the_whole_range) { expect_errors_below(2.5, "|x| <= 1e6", dense_sweep(-1e6, 1e6)); }

TEST(Sincos, error_of_small_angles) {
  std::vector<double> x{0.0, -0.0};
  for (int exponent = -1074; exponent <= 0; ++exponent) {
    for (const double mantissa : {1.0, 1.25, -1.5, 1.75}) x.push_back(std::ldexp(mantissa, exponent));
  }
  expect_errors_below(2.5, "2^-1074 to 1", x);
}

// Every multiple of pi/2 up to 1e6 and the doubles around it: there the result is as small as it gets, and what is left
// of x after the subtraction is only as good as the last of the three parts of pi/2.
TEST(Sincos, error_next_to_every_zero) {
  constexpr long double quarter = 1.57079632679489661923132169163975144L;
  std::vector<double> x;
  for (int k = 1; k * quarter < 1e6L; ++k) {
    const double nearest = static_cast<double>(k * quarter);
    for (const double near : {std::nextafter(nearest, 0.0), nearest, std::nextafter(nearest, 2e6)}) x.push_back(near);
  }
  ASSERT_EQ(x.size(), 3U * 636619U);  // floor(1e6 / (pi/2)) = 636619
  expect_errors_below(4, "next to multiples of pi/2", x);
}

}  // namespace
}  // namespace mercer

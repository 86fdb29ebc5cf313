#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "support/sincos_functions.hpp"

namespace mercer {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

// Angles of all sizes, among them some beyond 1e6.
std::vector<double> mixed_angles(std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) {
    Random random({2, Stage::task, i, 0});
    x[i] = random.normal() * std::pow(10, 9 * random.uniform() - 2);  // from 0.01 to 1e7, evenly in the exponent
  }
  return x;
}

// Vector bodies and scalar tails must not differ, wherever in a batch and however aligned an angle stands.
TEST(SincosBatch, result_does_not_depend_on_position_or_length) {
  const std::vector<double> x = mixed_angles(80);
  for (const TrigonometricFunction& function : trigonometric_functions()) {
    std::vector<std::uint64_t> alone;
    for (const double angle : x) alone.push_back(bits(function({&angle, 1})[0]));
    for (std::size_t length = 1; length <= 40; ++length) {
      for (std::size_t offset = 0; offset + length <= x.size(); ++offset) {
        const std::vector<double> out = function(std::span(x).subspan(offset, length));
        for (std::size_t i = 0; i < length; ++i) {
          ASSERT_EQ(bits(out[i]), alone[offset + i]) << function.name << " " << length << " " << offset << " " << i;
        }
      }
    }
  }
}

TEST(SincosBatch, is_the_c_library_beyond_a_million) {
  const std::vector<double> x{std::nextafter(1e6, 2e6), -1000001, 1e7, -1e15, 1e22, 1e300, 1.7e308};
  for (const TrigonometricFunction& function : trigonometric_functions()) {
    const std::vector<double> out = function(x);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(out[i], function.library(x[i])) << function.name << x[i];
  }
}

TEST(SincosBatch, what_has_no_sine_gives_nan_and_leaves_its_neighbours_alone) {
  for (const double strange : {nan, -nan, infinity, -infinity}) {
    for (const TrigonometricFunction& function : trigonometric_functions()) {
      for (std::size_t place = 0; place < 20; ++place) {
        std::vector<double> x = mixed_angles(20);
        const std::vector<double> before = function(x);
        x[place] = strange;
        const std::vector<double> out = function(x);
        for (std::size_t i = 0; i < x.size(); ++i) {
          if (i == place) {
            EXPECT_TRUE(std::isnan(out[i])) << function.name << " of " << strange;
          } else {
            EXPECT_EQ(bits(out[i]), bits(before[i])) << function.name << " beside " << strange;
          }
        }
      }
    }
  }
}

TEST(SincosBatch, empty_batch_is_legal) {
  for (const TrigonometricFunction& function : trigonometric_functions()) EXPECT_TRUE(function({}).empty());
}

TEST(SincosBatch, landmarks_are_exact) {
  const std::vector<double> zero{0.0};
  for (const TrigonometricFunction& function : trigonometric_functions()) {
    EXPECT_EQ(function(zero)[0], function.is_sine ? 0.0 : 1.0) << function.name;
  }
}

}  // namespace
}  // namespace mercer

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/functions.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

constexpr std::size_t functions = 13;

// The measure of a family as points and weights: substitutions that make each an even grid of a smooth integrand.
std::vector<std::pair<double, double>> points_of(Family family, bool periodic) {
  std::vector<std::pair<double, double>> points;
  constexpr std::size_t count = 4000;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = (static_cast<double>(i) + 0.5) / count;
    if (!periodic && family == Family::chebyshev) {
      points.emplace_back(std::cos(std::numbers::pi * t), 1.0 / count);
    } else if (!periodic && family == Family::hermite) {
      const double z = 24 * t - 12;
      points.emplace_back(z / 3, 24.0 / count * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi));
    } else {  // x = -cos(theta) has weight sin(theta) d theta / 2
      const double angle = std::numbers::pi * t;
      points.emplace_back(-std::cos(angle), std::numbers::pi / count * std::sin(angle) / 2);
    }
  }
  return points;
}

TEST(Families, are_orthonormal) {
  for (const Family family : {Family::legendre, Family::chebyshev, Family::cosine, Family::hermite}) {
    for (const bool periodic : {false, true}) {
      std::vector<double> gram(functions * functions), value(functions);
      for (const auto& [x, weight] : points_of(family, periodic)) {
        evaluate_family(family, periodic, x, value);
        for (std::size_t j = 0; j < functions; ++j) {
          for (std::size_t k = 0; k < functions; ++k) gram[j * functions + k] += weight * value[j] * value[k];
        }
      }
      for (std::size_t j = 0; j < functions; ++j) {
        for (std::size_t k = 0; k < functions; ++k) {
          EXPECT_NEAR(gram[j * functions + k], j == k ? 1 : 0, 2e-5)
              << name(family) << (periodic ? ", periodic " : " ") << j << " " << k;
        }
      }
    }
  }
}

TEST(Families, are_what_their_names_say) {
  std::vector<double> value(8);
  for (const double x : {-1.0, -0.37, 0.0, 0.81, 1.0}) {
    evaluate_family(Family::legendre, false, x, value);
    for (unsigned k = 0; k < 8; ++k) EXPECT_NEAR(value[k], std::sqrt(2.0 * k + 1) * std::legendre(k, x), 1e-13);
    evaluate_family(Family::chebyshev, false, x, value);
    for (int k = 1; k < 8; ++k) EXPECT_NEAR(value[k], std::numbers::sqrt2 * std::cos(k * std::acos(x)), 1e-13);
    evaluate_family(Family::cosine, false, x, value);
    for (int k = 1; k < 8; ++k) {
      EXPECT_NEAR(value[k], std::numbers::sqrt2 * std::cos(k * std::numbers::pi * (x + 1) / 2), 1e-13);
    }
    evaluate_family(Family::cosine, true, x, value);
    for (int k = 1; k < 8; ++k) {
      const double angle = (k + 1) / 2 * std::numbers::pi * x;
      EXPECT_NEAR(value[k], std::numbers::sqrt2 * (k % 2 == 1 ? std::cos(angle) : std::sin(angle)), 1e-13);
    }
  }
}

TEST(Families, are_known_by_name) {
  EXPECT_EQ(parse<Family>("hermite"), Family::hermite);
  EXPECT_EQ(parse<Family>("fourier"), Family::cosine);
  expect_error(ErrorCode::unknown_name, "legendre", [] { parse<Family>("legendr"); });
}

}  // namespace
}  // namespace mercer

#include "learn/adam.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace mercer::learn {
namespace {

// Adam as its paper writes it, one number at a time, in double precision.
struct PlainAdam {
  double m = 0, v = 0;
  double step(double w, double g, double rate, int t) {
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    const double corrected_m = m / (1 - std::pow(0.9, t));
    const double corrected_v = v / (1 - std::pow(0.999, t));
    return w - rate * corrected_m / (std::sqrt(corrected_v) + 1e-8);
  }
};

double gradient_at(Index i, int t) { return std::sin(0.7 * static_cast<double>(i) + t) * (i % 5 == 0 ? 1e-6 : 1); }

TEST(Adam, follows_the_plain_one) {
  constexpr Index size = 37;
  Vector<double> weights = Vector<double>::LinSpaced(size, -1, 1), gradient(size), target = weights * 0.5;
  Moments<double> moments(size);
  std::vector<PlainAdam> plain(size);
  std::vector<double> expected(weights.begin(), weights.end()), expected_target(target.begin(), target.end());
  for (int t = 1; t <= 50; ++t) {
    for (Index i = 0; i < size; ++i) {
      gradient[i] = gradient_at(i, t);
      expected[i] = plain[i].step(expected[i], gradient[i], 0.01, t);
      expected_target[i] = 0.98 * expected_target[i] + 0.02 * expected[i];
    }
    adam_with_target<double>({0.01, static_cast<std::uint64_t>(t)}, gradient, moments, weights, 0.02, target);
    for (Index i = 0; i < size; ++i) {
      EXPECT_NEAR(weights[i], expected[i], 1e-12);
      EXPECT_NEAR(target[i], expected_target[i], 1e-12);
    }
  }
}

TEST(Adam, the_rate_falls_on_a_line_to_a_hundredth) {
  LearnOptions options;
  EXPECT_EQ(learning_rate(options, 1'000'000), 1e-3);
  options.decay_updates = 200;
  EXPECT_DOUBLE_EQ(learning_rate(options, 1), 1e-3 * 199 / 200);
  EXPECT_DOUBLE_EQ(learning_rate(options, 100), 0.5e-3);
  EXPECT_DOUBLE_EQ(learning_rate(options, 199), 1e-5);
  EXPECT_DOUBLE_EQ(learning_rate(options, 1000), 1e-5);
}

TEST(Adam, a_part_is_what_the_whole_would_be) {
  constexpr Index size = 48;
  Vector<float> whole = Vector<float>::LinSpaced(size, -1, 1), parts = whole, gradient = whole.array().cos();
  Moments<float> whole_moments(size), part_moments(size);
  adam<float>({0.01, 1}, gradient, whole_moments, whole, 0, size);
  adam<float>({0.01, 1}, gradient, part_moments, parts, 16, 48);
  EXPECT_EQ(parts.head(16), (Vector<float>::LinSpaced(size, -1, 1).head(16)));
  adam<float>({0.01, 1}, gradient, part_moments, parts, 0, 16);
  EXPECT_EQ(parts, whole);
  EXPECT_EQ(part_moments.second, whole_moments.second);
}

}  // namespace
}  // namespace mercer::learn

#include <numbers>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

// The twin: e_k(x) = sqrt((k == 0 ? 1 : 2) / n) cos(pi (2 x + 1) k / 2 n).
double cosine_function(std::size_t n, std::size_t k, std::size_t x) {
  const double length = static_cast<double>(n);
  return std::sqrt((k == 0 ? 1 : 2) / length) *
         std::cos(std::numbers::pi * static_cast<double>((2 * x + 1) * k) / (2 * length));
}

TEST(Cosine, equals_the_defining_sum) {
  for (const auto& shape :
       std::vector<std::vector<std::size_t>>{{1, 1, 1}, {1, 1, 9}, {1, 7, 1}, {1, 8, 6}, {3, 5, 4}}) {
    const Table table = random_table(shape, 1);
    std::vector<double> expected;
    for (std::size_t a = 0; a < shape[0]; ++a) {
      for (std::size_t b = 0; b < shape[1]; ++b) {
        for (std::size_t c = 0; c < shape[2]; ++c) {
          double sum = 0;
          for (std::size_t i = 0; i < table.values.size(); ++i) {
            const std::size_t z = i % shape[2], y = i / shape[2] % shape[1], x = i / shape[2] / shape[1];
            sum += table.values[i] * cosine_function(shape[0], a, x) * cosine_function(shape[1], b, y) *
                   cosine_function(shape[2], c, z);
          }
          expected.push_back(sum);
        }
      }
    }
    const Table actual = cosine(table);
    EXPECT_LT(largest_difference(actual.values, expected), 1e-12);
    EXPECT_LT(largest_difference(inverse_cosine(actual).values, table.values), 1e-13);
  }
}

// scipy.fft.dct([1, 2, 3, 4], norm="ortho"), scipy 1.10.1.
TEST(Cosine, equals_scipy) {
  const Table actual = cosine({{4}, {1, 2, 3, 4}});
  EXPECT_LT(largest_difference(actual.values, std::vector<double>{5.0, -2.230442497387663, 0.0, -0.15851266778110726}),
            1e-14);
}

// A ramp does not wrap around: its Fourier coefficients fall as 1 / k, its cosines as 1 / k^2.
TEST(CosineBasis, first_coefficient_is_the_mean_and_is_kept_first) {
  CosineBasis basis;
  const Table table{{2, 2}, {1, 2, 3, 6}};
  basis.train(table);
  const std::vector<double> coefficients = basis.apply(table.values);
  EXPECT_NEAR(coefficients[0], 6, 1e-14);  // 12 / sqrt(4)
  EXPECT_TRUE(basis.terms(coefficients)[0].mean);
  EXPECT_FALSE(basis.terms(coefficients)[1].mean);
  EXPECT_EQ(basis.parameters(7), (ParameterCount{7, 7}));
}

TEST(Cosine, bad_input_is_refused) {
  expect_error(ErrorCode::shape_mismatch, "is empty", [] { cosine({{0}, {}}); });
  expect_error(ErrorCode::not_finite, "nan", [] { inverse_cosine({{1}, {NAN}}); });
}

}  // namespace
}  // namespace mercer

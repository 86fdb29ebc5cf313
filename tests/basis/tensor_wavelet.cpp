#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

std::vector<double> coefficients_of(const Table& table) {
  TensorWaveletBasis basis("db4");
  basis.train(table);
  return basis.apply(table.values);
}

// golden/theory/wavelet_db4.json, from an independent program whose taps are right to 1e-12 only.
TEST(TensorWavelet, equals_the_reference) {
  const nlohmann::json golden = read_golden("theory/wavelet_db4.json");
  for (const nlohmann::json& expected : golden.at("cases")) {
    const auto x = expected.at("x").get<std::vector<double>>();
    EXPECT_LT(largest_difference(coefficients_of({{x.size()}, x}), expected.at("coeffs").get<std::vector<double>>()),
              1e-10);
  }
  Table table{{8, 4}, {}};
  std::vector<double> expected;
  for (const auto& row : golden.at("table")) {
    for (const double value : row) table.values.push_back(value);
  }
  for (const auto& row : golden.at("coeffs2d")) {
    for (const double value : row) expected.push_back(value);
  }
  EXPECT_LT(largest_difference(coefficients_of(table), expected), 1e-10);
}

TEST(TensorWavelet, powers_of_two_are_orthonormal_and_keep_the_mass_of_rows) {
  const Table policy = random_policy(32, 8, 1);
  TensorWaveletBasis basis("db3");
  basis.train(policy);
  EXPECT_TRUE(basis.orthonormal());
  const std::vector<double> coefficients = basis.apply(policy.values);
  EXPECT_NEAR(squares(coefficients), squares(policy.values), 1e-12);
  const Truncation truncation(basis.terms(coefficients));
  for (std::size_t k = 1; k <= truncation.size(); k += 15) {
    const std::vector<double> values = basis.reverse(keep_only(coefficients, truncation.kept(k)));
    EXPECT_NEAR(squared_distance(values, policy.values), truncation.discarded_energy(k), 1e-12);
    for (std::size_t row = 0; row < 32; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < 8; ++column) sum += values[row * 8 + column];
      EXPECT_NEAR(sum, 1, 1e-12) << "K = " << k;
    }
  }
}

TEST(TensorWavelet, other_lengths_are_padded_and_come_back) {
  const Table table = random_table({7, 5}, 1);
  TensorWaveletBasis basis("db2");
  basis.train(table);
  EXPECT_FALSE(basis.orthonormal());
  EXPECT_EQ(basis.size(), 8U * 7U);  // 7: 4 + 2 + 1 details and one approximation; 5: 3 + 2 + 1 and one
  EXPECT_LT(largest_difference(basis.reverse(basis.apply(table.values)), table.values), 1e-13);
}

}  // namespace
}  // namespace mercer

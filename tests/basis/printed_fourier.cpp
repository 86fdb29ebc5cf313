// Step 4 of the published pseudocode, as numpy runs it, and against its sums written out.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

struct PrintedCase {
  std::size_t k;
  std::vector<std::size_t> kept;
  std::vector<double> values;
};

// Every line of the pseudocode as its defining sum, O(N^2).
std::vector<double> printed_twin(const Table& table, std::size_t k, std::size_t& count) {
  const std::size_t rows = table.rows(), columns = table.columns(), size = rows * columns;
  std::vector<double> spectrum(size), flat(size), out(size);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      // fftshift puts the frequency 0 at place n / 2.
      const double f = static_cast<double>(i) - static_cast<double>(rows / 2),
                   g = static_cast<double>(j) - static_cast<double>(columns / 2);
      for (std::size_t x = 0; x < size; ++x) {
        const double turns = f * static_cast<double>(x / columns) / static_cast<double>(rows) +
                             g * static_cast<double>(x % columns) / static_cast<double>(columns);
        spectrum[i * columns + j] += table.values[x] * std::cos(2 * std::numbers::pi * turns);
      }
    }
  }
  std::vector<double> ranked = spectrum;
  std::ranges::sort(ranked, std::greater<>());
  count = 0;
  for (double& value : spectrum) {
    const bool stays = value >= ranked[k];
    count += stays ? 1 : 0;
    if (!stays) value = 0;
  }
  for (std::size_t p = 0; p < size; ++p) flat[p] = spectrum[(p + size / 2) % size];
  for (std::size_t x = 0; x < size; ++x) {
    for (std::size_t p = 0; p < size; ++p) {
      out[x] += flat[p] *
                std::cos(2 * std::numbers::pi * static_cast<double>(p * x % size) / static_cast<double>(size)) /
                static_cast<double>(size);
    }
  }
  return out;
}

// numpy 1.24.2, the pseudocode's lines on this table.
TEST(PrintedFourier, is_what_numpy_makes_of_the_pseudocode) {
  const Table table{{3, 4}, {0.1, 0.2, 0.3, 0.4, 0.7, 0.1, 0.1, 0.1, 0.25, 0.25, 0.4, 0.1}};
  const std::vector<PrintedCase> cases{
      {3,
       {4, 5, 6, 7},
       {0.3499999999999999, 0.31525105849101825, 0.24166666666666664, 0.19166666666666668, 0.2, 0.24308227484231504,
        0.2666666666666666, 0.24308227484231507, 0.2, 0.19166666666666668, 0.24166666666666664, 0.31525105849101825}},
      {11,
       {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
       {0.1, 0.38492785792574935, 0.2824759526419164, 0.3, 0.10502404735808357, 0.22757214207425064, 0.3,
        0.22757214207425064, 0.10502404735808357, 0.3, 0.2824759526419164, 0.38492785792574935}}};
  const auto basis = make_basis("fourier:printed");
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  for (const PrintedCase& one : cases) {
    const std::vector<std::size_t> kept = basis->choose(coefficients, one.k);
    EXPECT_EQ(kept, one.kept) << one.k;
    const std::vector<double> values = basis->reverse(keep_only(coefficients, kept));
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], one.values[i], 1e-14) << one.k;
  }
}

TEST(PrintedFourier, equals_its_sums_and_keeps_one_too_many) {
  for (const std::vector<std::size_t>& shape : {std::vector<std::size_t>{5, 4}, {6, 3}, {1, 7}, {9, 5}}) {
    const Table table = random_table(shape, 7);
    const auto basis = make_basis("fourier:printed");
    basis->train(table);
    const std::vector<double> coefficients = basis->apply(table.values);
    for (const std::size_t k : {1UL, 3UL, table.values.size() - 1}) {
      std::size_t count = 0;
      const std::vector<double> expected = printed_twin(table, k, count);
      const std::vector<std::size_t> kept = basis->choose(coefficients, k);
      EXPECT_GE(kept.size(), k + 1);
      const std::vector<double> values = basis->reverse(keep_only(coefficients, kept));
      const auto rows = basis->evaluator(coefficients, kept);
      double worst = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        worst = std::max(worst, std::abs(values[i] - rows->entry(i / table.columns(), i % table.columns())));
        // Conjugates have equal real parts, which rounding may tell apart: then one of them is kept here only.
        if (kept.size() == count) {
          worst = std::max(worst, std::abs(values[i] - expected[i]));
        }
      }
      EXPECT_LT(worst, 1e-12) << shape[0] << " x " << shape[1] << ", K = " << k;
    }
  }
}

TEST(PrintedFourier, loses_the_table_with_every_coefficient_kept) {
  const Table table = random_table({8, 5}, 3);
  const auto printed = make_basis("fourier:printed"), right = make_basis("fourier");
  const auto error = [&](Basis& basis) {
    basis.train(table);
    const std::vector<double> back = basis.reverse(basis.apply(table.values));
    double sum = 0;
    for (std::size_t i = 0; i < back.size(); ++i) sum += std::pow(back[i] - table.values[i], 2);
    return sum;
  };
  EXPECT_LT(error(*right), 1e-24);
  EXPECT_GT(error(*printed), 0.1);
  EXPECT_FALSE(printed->orthonormal());
  EXPECT_EQ(printed->parameters(10), (ParameterCount{10, 11}));
}

}  // namespace
}  // namespace mercer

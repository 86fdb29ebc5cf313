#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

std::vector<double> product(const Svd& f) {
  std::vector<double> table(f.rows * f.columns);
  for (std::size_t row = 0; row < f.rows; ++row) {
    for (std::size_t k = 0; k < f.rank; ++k) {
      for (std::size_t column = 0; column < f.columns; ++column) {
        table[row * f.columns + column] += f.u[row * f.rank + k] * f.s[k] * f.vt[k * f.columns + column];
      }
    }
  }
  return table;
}

// How far u^T u and vt vt^T are from the identity.
double distance_from_orthonormal(const Svd& f) {
  double worst = 0;
  for (std::size_t i = 0; i < f.rank; ++i) {
    for (std::size_t j = 0; j < f.rank; ++j) {
      double of_u = i == j ? -1 : 0, of_v = of_u;
      for (std::size_t row = 0; row < f.rows; ++row) of_u += f.u[row * f.rank + i] * f.u[row * f.rank + j];
      for (std::size_t column = 0; column < f.columns; ++column) {
        of_v += f.vt[i * f.columns + column] * f.vt[j * f.columns + column];
      }
      worst = std::max({worst, std::abs(of_u), std::abs(of_v)});
    }
  }
  return worst;
}

// The twin: one-sided Jacobi. Rotates pairs of columns until all are orthogonal; their lengths are the singular values.
std::vector<double> jacobi_singular_values(Table table) {
  const std::size_t n = table.shape[0], m = table.shape[1];
  const auto at = [&](std::size_t row, std::size_t column) -> double& { return table.values[row * m + column]; };
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (std::size_t p = 0; p < m; ++p) {
      for (std::size_t q = p + 1; q < m; ++q) {
        double pp = 0, qq = 0, pq = 0;
        for (std::size_t row = 0; row < n; ++row) {
          pp += at(row, p) * at(row, p);
          qq += at(row, q) * at(row, q);
          pq += at(row, p) * at(row, q);
        }
        if (std::abs(pq) <= 1e-17 * std::sqrt(pp * qq)) continue;
        const double zeta = (qq - pp) / (2 * pq);
        const double t = (zeta < 0 ? -1 : 1) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        for (std::size_t row = 0; row < n; ++row) {
          const double x = at(row, p), y = at(row, q);
          at(row, p) = c * x - s * y;
          at(row, q) = s * x + c * y;
        }
      }
    }
  }
  std::vector<double> values(m);
  for (std::size_t column = 0; column < m; ++column) {
    for (std::size_t row = 0; row < n; ++row) values[column] += at(row, column) * at(row, column);
    values[column] = std::sqrt(values[column]);
  }
  std::ranges::sort(values, std::greater<>());
  values.resize(std::min(n, m));
  return values;
}

TEST(Svd, equals_jacobi_and_multiplies_back) {
  for (const auto& shape : std::vector<std::vector<std::size_t>>{{1, 1}, {1, 6}, {6, 1}, {5, 5}, {40, 7}, {7, 40}}) {
    const Table table = random_table(shape, 3);
    const Svd factors = svd(table.matrix());
    EXPECT_EQ(factors.rank, std::min(shape[0], shape[1]));
    EXPECT_LT(largest_difference(factors.s, jacobi_singular_values(table)), 1e-12);
    EXPECT_LT(distance_from_orthonormal(factors), 1e-13);
    EXPECT_LT(largest_difference(product(factors), table.values), 1e-13);
  }
}

TEST(Svd, equals_numpy) {
  double worst = 0;
  for (const std::string size : {"7x5", "35x15", "64x64", "701x15"}) {
    const std::vector<double> expected = golden_kernels("kern_" + size).at("singular_values").as_doubles();
    const Table table = golden_table(size);
    const Svd factors = svd(table.matrix());
    worst = std::max(worst, largest_difference(factors.s, expected));
    EXPECT_LT(largest_difference(product(factors), table.values), 1e-12);
  }
  RecordProperty("worst", fmt::format("{:.1e}", worst));
  EXPECT_LT(worst, 1e-10);
}

TEST(Svd, discards_the_energy_that_numpy_counts) {
  for (const std::string size : {"7x5", "35x15", "64x64", "701x15"}) {
    const Table table = golden_table(size);
    SvdBasis basis;
    basis.train(table);
    const Truncation truncation(basis.terms(basis.apply(table.values)));
    const nlohmann::json golden = read_golden("kernels/topk_" + size + ".json").at("topk");
    for (const auto& [rank, energy] : golden.at("svd_discarded_energy_by_rank").items()) {
      EXPECT_NEAR(truncation.discarded_energy(std::stoul(rank)), energy.get<double>(),
                  1e-9 * energy.get<double>() + 1e-10);
    }
  }
}

TEST(Svd, signs_are_fixed) {
  const Table table = random_table({9, 4}, 4);
  Table negative = table;
  for (double& value : negative.values) value = -value;
  EXPECT_LT(largest_difference(svd(table.matrix()).vt, svd(negative.matrix()).vt), 1e-12);
}

TEST(Svd, a_table_of_low_rank_has_no_more_singular_values) {
  Table table{{30, 20}, {}};
  for (std::size_t i = 0; i < 600; ++i)
    table.values.push_back(std::sin(0.1 * static_cast<double>(i / 20)) * static_cast<double>(i % 20));
  const Svd factors = svd(table.matrix());
  EXPECT_LT(factors.s[1], 1e-12 * factors.s[0]);
  EXPECT_LT(largest_difference(product(truncated_svd(table.matrix(), 1)), table.values), 1e-12);
  const Table zeros{{3, 2}, std::vector<double>(6)};
  EXPECT_EQ(svd(zeros.matrix()).s, (std::vector<double>{0, 0}));
}

// Random directions find the leading triples of a table whose singular values fall quickly.
TEST(RandomisedSvd, is_close_and_the_same_for_the_same_seed) {
  const Table table = random_policy(120, 30, 1);
  const Svd exact = truncated_svd(table.matrix(), 4);
  const Svd close = randomised_svd(table.matrix(), 4, {10, 4, 1});
  EXPECT_LT(distance_from_orthonormal(close), 1e-13);
  const double left_exact = squared_distance(product(exact), table.values);
  EXPECT_LT(squared_distance(product(close), table.values), 1.01 * left_exact);
  EXPECT_GE(squared_distance(product(close), table.values), left_exact * (1 - 1e-9));  // none is better
  EXPECT_EQ(randomised_svd(table.matrix(), 4, {10, 4, 1}).u, close.u);
  EXPECT_NE(randomised_svd(table.matrix(), 4, {10, 4, 2}).u, close.u);
}

std::vector<double> values_of(const nlohmann::json& rows) {
  std::vector<double> values;
  for (const auto& row : rows) {
    for (const double value : row) values.push_back(value);
  }
  return values;
}

// golden/theory/svd.json, from an independent program.
TEST(SvdBasis, plain_and_centred_truncations_equal_the_reference) {
  const nlohmann::json golden = read_golden("theory/svd.json");
  const Table table{{7, 4}, values_of(golden.at("table"))};
  SvdBasis plain, centred({.centred = true});
  plain.train(table);
  centred.train(table);
  const std::vector<double> coefficients = centred.apply(table.values);
  EXPECT_LT(largest_difference(coefficients, golden.at("centred_singular_values").get<std::vector<double>>()), 1e-12);
  const Truncation truncation(centred.terms(coefficients));
  for (std::size_t rank = 0; rank < golden.at("centred_reconstruction_rank_k").size(); ++rank) {
    const std::vector<double> actual = centred.reverse(keep_only(coefficients, truncation.kept(rank)));
    EXPECT_LT(largest_difference(actual, values_of(golden.at("centred_reconstruction_rank_k")[rank])), 1e-12);
  }
  const std::vector<double> first = plain.reverse(keep_only(plain.apply(table.values), std::vector<std::size_t>{0}));
  EXPECT_LT(largest_difference(first, values_of(golden.at("plain_rank1"))), 1e-12);
  for (std::size_t k = 1; k <= 3; ++k) {
    EXPECT_EQ(plain.parameters(k).published, golden.at("params").at("paper")[k - 1].get<std::size_t>());
    EXPECT_EQ(plain.parameters(k).stored, golden.at("params").at("absorbed")[k - 1].get<std::size_t>());
  }
}

TEST(SvdBasis, centred_keeps_the_mass_of_rows_at_any_rank) {
  const Table table = random_policy(50, 9, 2);
  SvdBasis basis({.centred = true});
  basis.train(table);
  const std::vector<double> coefficients = basis.apply(table.values);
  const Truncation truncation(basis.terms(coefficients));
  for (std::size_t rank = 0; rank <= 9; ++rank) {
    const std::vector<double> values = basis.reverse(keep_only(coefficients, truncation.kept(rank)));
    for (std::size_t row = 0; row < 50; ++row) {
      double sum = 0;
      for (std::size_t column = 0; column < 9; ++column) sum += values[row * 9 + column];
      EXPECT_NEAR(sum, 1, 1e-13);
    }
  }
}

// The weighted decomposition must beat the plain one where it was asked to, and lose elsewhere.
TEST(SvdBasis, weights_move_the_error_to_rows_that_are_rarely_visited) {
  const Table table = random_policy(60, 8, 5);
  std::vector<double> weights(60, 0.001);
  for (std::size_t row = 0; row < 10; ++row) weights[row] = 1;
  SvdBasis plain, weighted({.weighted = true});
  plain.train(table);
  weighted.train(table, weights);
  EXPECT_LT(largest_difference(weighted.reverse(weighted.apply(table.values)), table.values), 1e-13);
  const auto error = [&](const SvdBasis& basis, std::size_t begin, std::size_t end) {
    const std::vector<std::size_t> kept{0, 1};
    const std::vector<double> values = basis.reverse(keep_only(basis.apply(table.values), kept));
    return squared_distance(std::span(values).subspan(begin * 8, (end - begin) * 8),
                            std::span(table.values).subspan(begin * 8, (end - begin) * 8));
  };
  EXPECT_LT(error(weighted, 0, 10), 0.9 * error(plain, 0, 10));
  EXPECT_GT(error(weighted, 10, 60), error(plain, 10, 60));
  // The energy that is dropped is the weighted error, weights scaled to a mean of one (0.001 of a share added).
  const std::vector<double> coefficients = weighted.apply(table.values);
  const Truncation truncation(weighted.terms(coefficients));
  const std::vector<double> values = weighted.reverse(keep_only(coefficients, truncation.kept(2)));
  double sum = 0, total = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double scale = weights[i / 8] / total * 60 + 0.001;
    sum += scale * (values[i] - table.values[i]) * (values[i] - table.values[i]);
  }
  EXPECT_NEAR(truncation.discarded_energy(2), sum, 1e-12);
}

TEST(Svd, bad_input_is_refused) {
  const Table table = random_table({4, 3}, 1);
  expect_error(ErrorCode::shape_mismatch, "0 x 3 is empty", [] { svd(MatrixView<const double>(nullptr, 0, 3)); });
  expect_error(ErrorCode::out_of_range, "rank is 4; legal: 1 to 3", [&] { truncated_svd(table.matrix(), 4); });
  expect_error(ErrorCode::out_of_range, "rank is 0; legal: 1 to 3", [&] { randomised_svd(table.matrix(), 0); });
  expect_error(ErrorCode::out_of_range, "powers is 21", [&] { randomised_svd(table.matrix(), 1, {1, 21, 0}); });
  const Table bad{{1, 2}, {NAN, 1}};
  expect_error(ErrorCode::not_finite, "nan", [&] { svd(bad.matrix()); });
  SvdBasis weighted({.weighted = true});
  expect_error(ErrorCode::missing_option, "no weights", [&] { weighted.train(table); });
  expect_error(ErrorCode::shape_mismatch, "needed are 4", [&] { weighted.train(table, std::vector<double>{1}); });
  expect_error(ErrorCode::bad_distribution, "negative", [&] {
    weighted.train(table, std::vector<double>{1, -1, 1, 1});
  });
  expect_error(ErrorCode::bad_distribution, "all zero", [&] { weighted.train(table, std::vector<double>(4)); });
}

}  // namespace
}  // namespace mercer

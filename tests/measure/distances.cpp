#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

// scipy.stats.wasserstein_distance 1.10.1.
TEST(Wasserstein, agrees_with_scipy) {
  const nlohmann::json document = read_golden("kernels/wasserstein.json");
  for (const nlohmann::json& golden : document["cases"]) {
    const auto x = golden["x"].get<Numbers>(), p = golden["p"].get<Numbers>(), q = golden["q"].get<Numbers>();
    const auto expected = golden["w1"].get<double>();
    if (golden["kind"] == "same_support") {
      EXPECT_NEAR(wasserstein(x, x, p, q), expected, 1e-12);
      EXPECT_NEAR(wasserstein_on_atoms(p, q, x), expected, 1e-12);
    } else {
      EXPECT_NEAR(wasserstein(x, golden["y"].get<Numbers>(), p, q), expected, 1e-12);
    }
  }
}

// Samples of equal size: the mean distance of the k-th smallest from the k-th smallest.
TEST(Wasserstein, of_equal_samples_pairs_their_ranks) {
  Random random({3, Stage::task, 0, 0});
  Numbers x, y;
  for (int i = 0; i < 500; ++i) {
    x.push_back(random.normal());
    y.push_back(2 * random.normal() + 0.5);
  }
  Numbers a = x, b = y;
  std::ranges::sort(a);
  std::ranges::sort(b);
  double expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) expected += std::abs(a[i] - b[i]) / 500;
  EXPECT_NEAR(wasserstein(x, y), expected, 1e-12);
  EXPECT_NEAR(wasserstein(y, x), expected, 1e-12);
  EXPECT_EQ(wasserstein(x, x), 0);
}

TEST(Wasserstein, refuses_what_is_no_distribution) {
  const Numbers one{1}, two{1, 2}, negative{-1, 2}, zero{0, 0}, nan{1, std::nan("")};
  expect_error(ErrorCode::shape_mismatch, "0 numbers", [&] { wasserstein({}, one); });
  expect_error(ErrorCode::shape_mismatch, "2 numbers with 1 weights", [&] { wasserstein(two, one, one); });
  expect_error(ErrorCode::bad_distribution, "a weight is -1", [&] { wasserstein(two, one, negative); });
  expect_error(ErrorCode::bad_distribution, "sum to 0", [&] { wasserstein(two, one, zero); });
  expect_error(ErrorCode::not_finite, "number 1 is nan", [&] { wasserstein(one, nan); });
}

TEST(TableDistance, averages_the_rows) {
  const Numbers p{1, 0, 0, 0.5, 0.5, 0}, q{0, 1, 0, 0.5, 0, 0.5}, atoms{-1, 0, 2};
  const TableDistance equal = table_distance(p, q, atoms);
  EXPECT_DOUBLE_EQ(equal.tv, (1 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(equal.w1, (1 + 0.5 * 2) / 2);
  EXPECT_DOUBLE_EQ(equal.most_tv, 1);
  const Numbers visits{1, 3};
  EXPECT_DOUBLE_EQ(table_distance(p, q, atoms, visits).tv, (1 + 3 * 0.5) / 4);
  expect_error(ErrorCode::shape_mismatch, "3 atoms", [&] { table_distance(p, Numbers{1}, atoms); });
  expect_error(ErrorCode::bad_distribution, "weight 0", [&] { table_distance(p, q, atoms, Numbers{0, 0}); });
}

// |E_p a - E_q a| <= W1 <= TV times the width of the atoms.
TEST(TableDistance, bounds_the_mean_and_is_bounded_by_total_variation) {
  Random random({4, Stage::task, 0, 0});
  for (int round = 0; round < 200; ++round) {
    Numbers p(7), q(7), atoms(7);
    double sum_p = 0, sum_q = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      sum_p += p[j] = random.uniform();
      sum_q += q[j] = random.uniform();
      atoms[j] = (j == 0 ? -2 : atoms[j - 1]) + random.uniform();
    }
    double mean = 0;
    for (std::size_t j = 0; j < 7; ++j) {
      p[j] /= sum_p;
      q[j] /= sum_q;
      mean += (p[j] - q[j]) * atoms[j];
    }
    const double w1 = wasserstein_on_atoms(p, q, atoms);
    EXPECT_LE(std::abs(mean), w1 + 1e-14);
    EXPECT_LE(w1, total_variation(p, q) * (atoms.back() - atoms.front()) + 1e-14);
  }
}

}  // namespace
}  // namespace mercer

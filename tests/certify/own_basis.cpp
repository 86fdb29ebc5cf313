#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Core>
#include <fmt/core.h>
#include <gtest/gtest.h>

#include "certify/action_metric.hpp"
#include "certify/exact.hpp"
#include "certify/own_kernel.hpp"
#include "certify/three_terms.hpp"
#include "mercer/statistics.hpp"
#include "support/bound_sweep.hpp"
#include "support/errors.hpp"
#include "support/random_pairs.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

using Numbers = std::vector<double>;

// The twin: the matrix of the kernel from all functions of the basis, and the norm by brute force.
Numbers slow_TV(const BasisSpec& spec, const std::vector<std::size_t>& shape, std::size_t rows, const Numbers& delta) {
  const auto basis = make_basis(spec);
  basis->train({shape, Numbers(delta.size())});
  const Numbers xi = basis->apply(delta);
  Numbers diagonal(delta.size()), one(basis->size());
  double squares = 0;
  // Eigenvalues along each axis, by the place of a coefficient there.
  std::vector<std::size_t> sizes;
  for (const std::size_t length : shape) {
    const auto along = make_basis(spec);
    along->train({{length}, Numbers(length)});
    sizes.push_back(along->size());
  }
  for (std::size_t k = 0; k < one.size(); ++k) {
    double lambda = 1;
    std::size_t rest = k;
    for (std::size_t axis = shape.size(); axis-- > 0; rest /= sizes[axis]) {
      const double place = static_cast<double>(rest % sizes[axis]), n = static_cast<double>(shape[axis]);
      const bool wavelet = spec.family == BasisFamily::tensor_wavelet, wraps = spec.family == BasisFamily::fourier;
      lambda /= wavelet ? (1 + place) * (1 + place) : 1 + 4 * std::pow(std::sin(M_PI * place / (wraps ? n : 2 * n)), 2);
    }
    one[k] = 1;
    const Numbers f = basis->reverse(one);
    for (std::size_t x = 0; x < f.size(); ++x) diagonal[x] += lambda * f[x] * f[x];
    one[k] = 0;
    squares += xi[k] * xi[k] / lambda;
  }
  const std::size_t columns = delta.size() / rows;
  Numbers TV(rows);
  for (std::size_t x = 0; x < delta.size(); ++x) TV[x / columns] += std::sqrt(diagonal[x] * squares) / 2;
  for (double& tv : TV) tv = std::min(tv, 1.0);
  return TV;
}

TEST(OwnKernel, on_the_whole_table_is_that_of_all_functions) {
  for (const std::string basis : {"fourier", "dct", "haar:tensor", "db4:tensor"}) {
    for (const std::vector<std::size_t>& shape :
         {std::vector<std::size_t>{6, 5}, std::vector<std::size_t>{8, 4}, std::vector<std::size_t>{3, 4, 3}}) {
      const std::size_t columns = shape.back(), rows = table_size(shape) / columns;
      Numbers delta = random_table({rows, columns}, 5).values;
      for (double& value : delta) value /= 100;
      std::vector<std::size_t> places(rows);
      std::iota(places.begin(), places.end(), std::size_t{0});
      const TableKernelBound bound = table_kernel_bound(basis, shape, places, delta);
      const Numbers slow = slow_TV(basis, shape, rows, delta);
      ASSERT_EQ(bound.TV.size(), rows) << basis << bound.why_not;
      for (std::size_t r = 0; r < rows; ++r) EXPECT_NEAR(bound.TV[r], slow[r], 1e-12) << basis;
    }
  }
}

// Rows of a table in any order, some of it empty: the bound holds for every row, in every basis that has a kernel.
TEST(OwnKernel, bounds_total_variation_in_2000_random_tables) {
  Random random({11, Stage::simulate, 0, 0});
  std::size_t tried = 0, violations = 0;
  double least = HUGE_VAL;
  for (int trial = 0; trial < 2000; ++trial) {
    const char* const bases[] = {"fourier", "dct", "haar:tensor", "db4:tensor", "haar", "db4", "db2:mode=symmetric"};
    const std::string basis = bases[trial % std::size(bases)];
    const std::size_t rows = 2 + random.bits() % 7, columns = 2 + random.bits() % 6, kept = 1 + random.bits() % rows;
    std::vector<std::size_t> places(rows);
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t i = rows; i-- > 1;) std::swap(places[i], places[random.bits() % (i + 1)]);
    places.resize(kept);
    Numbers delta(kept * columns);
    const double size = std::pow(10, -3 * random.uniform());
    for (double& value : delta) value = size * random.normal();
    const TableKernelBound bound = table_kernel_bound(basis, {rows, columns}, places, delta);
    ASSERT_EQ(bound.TV.size(), kept) << basis << bound.why_not;
    for (std::size_t r = 0; r < kept; ++r) {
      double TV = 0;
      for (std::size_t a = 0; a < columns; ++a) TV += std::abs(delta[r * columns + a]) / 2;
      if (bound.TV[r] >= 1) continue;
      ++tried;
      violations += TV > bound.TV[r] * (1 + 1e-12) ? 1 : 0;
      least = std::min(least, bound.TV[r] / TV);
    }
  }
  fmt::print("{} rows, {} violations, the tightest bound is {:.3f} times the distance\n", tried, violations, least);
  EXPECT_EQ(violations, 0U);
  EXPECT_GT(tried, 1000U);
}

TEST(OwnKernel, along_the_actions_bounds_values_in_every_basis) {
  Random random({12, Stage::simulate, 0, 0});
  for (const std::string basis : {"fourier", "dct", "svd", "haar", "db4", "db4:tensor", "db2:mode=symmetric"}) {
    for (const std::size_t m : {2, 3, 8, 15, 45}) {
      const Table table = random_policy(60, m, 3);
      const ActionKernel kernel = kernel_of_basis(basis, m, table.values).value();
      for (int trial = 0; trial < 50; ++trial) {
        Numbers row(m);
        for (double& value : row) value = random.normal();
        const double norm = std::sqrt(squared_norms(kernel, kernel_coefficients(kernel, row), 0, kernel.size())[0]);
        for (std::size_t a = 0; a < m; ++a) {
          ASSERT_LE(std::abs(row[a]), std::sqrt(kernel.diagonal[a]) * norm * (1 + 1e-9)) << basis << " " << m;
        }
      }
    }
  }
  EXPECT_FALSE(kernel_of_basis("gmm", 4));
  EXPECT_FALSE(kernel_of_basis("mle", 4));
}

TEST(OwnKernel, says_where_there_is_none) {
  const Numbers delta(20000);
  const auto why = [&](const char* basis, std::size_t rows) {
    return table_kernel_bound(basis, {rows, 2}, {0}, std::span(delta).first(2)).why_not;
  };
  EXPECT_NE(why("svd", 4).find("do not span differences"), std::string::npos);
  EXPECT_NE(why("gmm", 4).find("writes each row alone"), std::string::npos);
  EXPECT_NE(why("db4", 9000).find("one by one; computed up to 4096"), std::string::npos);
  EXPECT_NE(why("dct", 9000).find("an axis of 9000"), std::string::npos);
  expect_error(ErrorCode::shape_mismatch, "2 numbers in 1 rows of a table of 8 entries", [&] {
    table_kernel_bound("dct", {4, 2}, {4}, std::span(delta).first(2));
  });
}

// The exact transport under the same distance, by an independent route: a line for each dimension is exact where mass
// moves along one of them alone, and Euclidean transport is never longer than the sum over dimensions.
TEST(ActionMetric, moves_at_least_the_distance_and_at_most_the_width) {
  Random random({13, Stage::simulate, 0, 0});
  double loosest = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<Numbers> axes(2 + random.bits() % 2);
    std::size_t m = 1;
    for (Numbers& axis : axes) {
      axis.resize(1 + random.bits() % 4);
      for (double& x : axis) x = random.normal();
      std::ranges::sort(axis);
      m *= axis.size();
    }
    Numbers p(m), q(m), points(axes.size() * m);
    for (Numbers* row : {&p, &q}) {
      double sum = 0;
      for (double& value : *row) sum += value = random.uniform() < 0.3 ? 0 : random.uniform();
      if (sum == 0) sum = (*row)[0] = 1;
      for (double& value : *row) value /= sum;
    }
    std::size_t stride = 1;
    for (std::size_t d = axes.size(); d-- > 0; stride *= axes[d].size()) {
      for (std::size_t a = 0; a < m; ++a) points[d * m + a] = axes[d][a / stride % axes[d].size()];
    }
    const MatrixView<const double> view(points.data(), axes.size(), m);
    const ActionMetric metric(axes);
    const double moved = metric.moved(p, q), euclidean = transport_distance({view, p}, {view, q});
    EXPECT_GE(moved, euclidean - 1e-9);
    EXPECT_LE(moved, metric.width() * total_variation(p, q) + 1e-12);
    EXPECT_GE(moved, metric.mean_moved(p, q) - 1e-12);
    if (euclidean > 1e-6) loosest = std::max(loosest, moved / euclidean);
    // The slope is that of any two actions.
    Numbers Q(m);
    for (double& value : Q) value = random.normal();
    double slow = 0;
    for (std::size_t a = 0; a < m; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        double far = 0;
        for (std::size_t d = 0; d < axes.size(); ++d) far += std::abs(points[d * m + a] - points[d * m + b]);
        slow = std::max(slow, std::abs(Q[a] - Q[b]) / far);
      }
    }
    EXPECT_NEAR(metric.steepest(Q), slow, 1e-9 * (1 + slow));
    const double gap = std::abs(std::inner_product(Q.begin(), Q.end(), p.begin(), 0.0) -
                                std::inner_product(Q.begin(), Q.end(), q.begin(), 0.0));
    EXPECT_LE(gap, metric.steepest(Q) * moved * (1 + 1e-9) + 1e-12) << "what D1 rests on";
  }
  fmt::print("moved at most {:.2f} times the Euclidean distance\n", loosest);
}

// Each term beside the part of the exact split that it bounds.
TEST(ThreeTerms, stand_beside_the_exact_split) {
  double least = HUGE_VAL;
  for (std::uint64_t item = 0; item < 200; ++item) {
    const RandomPair pair = PairMaker(21, item).make();
    const SparseMdp mdp = sparse_mdp(pair.mdp);
    const BetweenPolicies steps = between(pair);
    const Numbers joint = joint_of(pair, mdp, steps.pruned, pair.pi2);
    BoundInputs inputs{.kernel = make_action_kernel(ActionKernelKind::dct, pair.mdp.m)};
    inputs.atoms = pair.atoms;
    inputs.joint_TV = joint;
    const std::vector<Bound> rows =
        three_term_bounds(mdp, {pair.pi1, steps.discretised, steps.pruned, pair.pi2}, inputs);
    ASSERT_EQ(rows.size(), 4U);
    const ExactSplit split = exact_split(mdp, pair.pi1, steps.discretised, steps.pruned, pair.pi2);
    const double truth[] = {split.total.difference, split.discretisation.difference, split.pruning.difference,
                            split.projection.difference};
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      ASSERT_TRUE(rows[i].applicable) << rows[i].id << rows[i].needs;
      const double room = 1e-9 * (1 + trivial_bound(compare_rows(mdp, pair.pi1, pair.pi2), Quantity::pruning, inputs));
      EXPECT_NEAR(*rows[i].measured, std::abs(truth[i]), room) << rows[i].id;
      EXPECT_LE(std::abs(truth[i]), rows[i].value + room) << rows[i].id;
      sum += i > 0 ? rows[i].value : 0;
    }
    EXPECT_NEAR(rows[0].value, sum, 1e-12 * sum);
    if (std::abs(truth[0]) > 1e-6) least = std::min(least, rows[0].value / std::abs(truth[0]));
  }
  fmt::print("the tightest sum is {:.2f} times the difference\n", least);
}

TEST(ThreeTerms, say_which_term_is_missing) {
  const RandomPair pair = PairMaker(21, 0).make();
  const BoundInputs inputs{.kernel = make_action_kernel(ActionKernelKind::dct, pair.mdp.m)};
  const std::vector<Bound> rows =
      three_term_bounds(sparse_mdp(pair.mdp), {pair.pi1, pair.pi1, pair.pi1, pair.pi2}, inputs);
  EXPECT_FALSE(rows[0].applicable);
  EXPECT_NE(rows[0].needs.find("three_terms/discretisation is missing: values of the actions"), std::string::npos);
}

}  // namespace
}  // namespace mercer

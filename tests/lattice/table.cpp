#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/lattice.hpp"
#include "mercer/policy.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"
#include "support/plain_task.hpp"

namespace mercer {
namespace {

// u ~ Normal((2 + d) x, 0.5) in dimension d, and action = 2 tanh(u).
GaussianPolicy leaning(std::size_t actions = 1) {
  return {"g", squashed_contract(1, actions), [](MatrixView<const double> in, MatrixView<double> out) {
            for (std::size_t i = 0; i < in.cols(); ++i) {
              for (std::size_t r = 0; r < out.rows(); ++r) {
                out(r, i) = r < out.rows() / 2 ? (2 + static_cast<double>(r)) * in(0, i) : std::log(0.5);
              }
            }
          }};
}

Cells all_cells(std::size_t bins) {
  const Grid grid{{even_edges(-1, 1, bins)}};
  std::vector<double> points;
  for (std::size_t b = 0; b < bins; ++b) points.push_back(grid.axes[0].centre(b));
  return {grid, MatrixView<const double>(points.data(), 1, bins)};
}

const Grid three_bins{{{{-1.5, -0.4, 0.1, 1.9}, 0}}};

double normal_below(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

TEST(PolicyTable, mass_is_the_probability_of_each_bin) {
  const Cells cells = all_cells(5);
  const PolicyTable table = tabulate(leaning(), cells, three_bins, TableRule::mass);
  for (std::size_t r = 0; r < 5; ++r) {
    const double mean = 2 * cells.centre(r, 0);
    const double first = normal_below((std::atanh(-0.2) - mean) / 0.5);
    const double second = normal_below((std::atanh(0.05) - mean) / 0.5);
    EXPECT_NEAR(table.row(r)[0], first, 1e-14) << "with the tail";
    EXPECT_NEAR(table.row(r)[1], second - first, 1e-14);
    EXPECT_NEAR(table.row(r)[2], 1 - second, 1e-14);
  }
}

// As printed: the density at the middle of each bin, without its width.
TEST(PolicyTable, centre_is_the_normalised_density) {
  const Cells cells = all_cells(4);
  const PolicyTable table = tabulate(leaning(), cells, three_bins, TableRule::centre);
  for (std::size_t r = 0; r < 4; ++r) {
    std::vector<double> density(3);
    const std::vector<double> state(3, cells.centre(r, 0)), middles{-0.95, -0.15, 1.0};
    leaning().log_prob({state.data(), 1, 3}, {middles.data(), 1, 3}, density);
    double total = 0;
    for (double& value : density) total += value = std::exp(value);
    for (std::size_t a = 0; a < 3; ++a) EXPECT_NEAR(table.row(r)[a], density[a] / total, 1e-14);
  }
}

// The same density without a distribution function: what quadrature makes of it.
class WithoutCdf : public GaussianPolicy {
 public:
  WithoutCdf() : GaussianPolicy(leaning(2)) {}
  bool cdf(MatrixView<const double>, std::size_t, MatrixView<const double>, MatrixView<double>) const override {
    return false;
  }
};

TEST(PolicyTable, quadrature_agrees_with_distribution_functions) {
  const Cells cells = all_cells(3);
  const Grid actions{{even_edges(-2, 2, 12), even_edges(-2, 2, 7)}};
  const PolicyTable exact = tabulate(leaning(2), cells, actions, TableRule::mass);
  const PolicyTable close = tabulate(WithoutCdf(), cells, actions, TableRule::mass);
  ASSERT_EQ(exact.cols, 84);
  double worst = 0;
  for (std::size_t i = 0; i < exact.pi.size(); ++i) worst = std::max(worst, std::abs(exact.pi[i] - close.pi[i]));
  EXPECT_LT(worst, 2e-3);
}

TEST(PolicyTable, rows_sum_to_one) {
  const Cells cells = all_cells(130);  // several blocks
  for (const TableRule rule : {TableRule::centre, TableRule::mass}) {
    const PolicyTable table = tabulate(leaning(), cells, {{even_edges(-2, 2, 15)}}, rule);
    EXPECT_EQ(table.rows_without, 0);
    for (std::size_t r = 0; r < table.rows; ++r) {
      double total = 0;
      for (const double p : table.row(r)) total += p;
      EXPECT_NEAR(total, 1, 1e-14);
    }
  }
}

// pi(a|x) proportional to exp(a x).
TEST(PolicyTable, discrete_actions_are_taken_as_they_are) {
  Contract contract;
  contract.observation = Space::box({{"x", {-1, 1}, "", false}});
  contract.action = Space::discrete("a", 3);
  const BatchFunction q = [](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t i = 0; i < in.cols(); ++i) {
      for (std::size_t a = 0; a < 3; ++a) out(a, i) = static_cast<double>(a) * in(0, i);
    }
  };
  const Cells cells = all_cells(4);
  const DiscreteBoltzmannPolicy policy("b", contract, q, 1);
  const PolicyTable table = tabulate(policy, cells, discrete_action_grid(3), TableRule::mass);
  for (std::size_t r = 0; r < 4; ++r) {
    const double x = cells.centre(r, 0), total = 1 + std::exp(x) + std::exp(2 * x);
    for (std::size_t a = 0; a < 3; ++a) {
      EXPECT_NEAR(table.row(r)[a], std::exp(static_cast<double>(a) * x) / total, 1e-14);
    }
  }
}

TEST(PolicyTable, counts_are_shares_of_what_was_played) {
  const Cells cells = all_cells(2);
  const Grid actions{{even_edges(-2, 2, 4)}};
  Rollouts rollouts;
  rollouts.offsets = {0, 5};
  rollouts.observations = {-0.5, -0.5, -0.5, 0.5, -0.9};
  rollouts.actions = {-1.5, -1.2, 1.5, 0.1, 0.1};
  rollouts.rewards.assign(5, 0);
  const PolicyTable table = count_actions(rollouts, cells, actions);
  EXPECT_EQ(table.pi, (std::vector<double>{0.5, 0, 0.25, 0.25, 0, 0, 1, 0}));
  rollouts.actions.pop_back();
  expect_error(ErrorCode::shape_mismatch, "for a lattice", [&] { count_actions(rollouts, cells, actions); });
}

TEST(PolicyTable, can_be_made_some_rows_at_a_time) {
  const Cells cells = all_cells(300);
  for (const TableRule rule : {TableRule::centre, TableRule::mass}) {
    const PolicyTable table = tabulate(leaning(), cells, three_bins, rule);
    for (const auto& [begin, end] : {std::pair<std::size_t, std::size_t>{0, 300}, {1, 2}, {17, 290}, {5, 5}}) {
      std::vector<double> rows((end - begin) * 3);
      tabulate_rows(leaning(), cells, three_bins, rule, begin, end, rows);
      EXPECT_TRUE(std::ranges::equal(rows, std::span(table.pi).subspan(begin * 3, rows.size())));
    }
  }
  std::vector<double> row(3);
  expect_error(ErrorCode::out_of_range, "the last row",
               [&] { tabulate_rows(leaning(), cells, three_bins, TableRule::mass, 300, 301, row); });
  expect_error(ErrorCode::shape_mismatch, "room for 3 numbers",
               [&] { tabulate_rows(leaning(), cells, three_bins, TableRule::mass, 0, 2, row); });
  expect_error(ErrorCode::bad_value, "counts",
               [&] { tabulate_rows(leaning(), cells, three_bins, TableRule::counts, 0, 1, row); });
}

TEST(PolicyTable, refuses_a_policy_of_another_size) {
  const UniformPolicy policy(plain_task(2, Space::box({{"a", {-1, 1}, "", false}})));
  expect_error(ErrorCode::shape_mismatch, "has 2 observations",
               [&] { tabulate(policy, all_cells(3), {{even_edges(-1, 1, 2)}}, TableRule::mass); });
}

}  // namespace
}  // namespace mercer

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

const std::vector<double> pi{0.2, 0.5, 0.3, 0, 0, 1, 0.4, 0.2, 0.4};

TEST(TabularPolicy, draws_each_action_by_its_probability) {
  const TabularPolicy policy("table", 3, 3, pi);
  const std::size_t n = 20000;
  for (std::size_t s = 0; s < 3; ++s) {
    std::vector<std::uint64_t> items(n);
    for (std::size_t i = 0; i < n; ++i) items[i] = i;
    const std::vector<double> state(n, static_cast<double>(s));
    std::vector<double> action(n);
    policy.sample(MatrixView<const double>(state.data(), 1, n), {5, Stage::action, 0, items}, {action.data(), 1, n});
    std::vector<int> hits(3);
    for (const double a : action) ++hits.at(static_cast<std::size_t>(a));
    for (std::size_t a = 0; a < 3; ++a) {
      // Give or take sqrt(n p (1 - p)); five of those, and never an action of probability zero.
      const double p = pi[s * 3 + a];
      EXPECT_NEAR(hits[a], n * p, 5 * std::sqrt(n * p * (1 - p))) << s << " " << a;
    }
  }
}

TEST(TabularPolicy, log_prob_is_the_logarithm_of_the_table) {
  const TabularPolicy policy("table", 3, 3, pi);
  const std::vector<double> state{0, 0, 1, 1, 2, 0, 0, 0}, action{0, 1, 2, 0, 2, 3, -1, 0.5};
  std::vector<double> out(8);
  policy.log_prob(MatrixView<const double>(state.data(), 1, 8), MatrixView<const double>(action.data(), 1, 8), out);
  EXPECT_EQ(out, (std::vector<double>{std::log(0.2), std::log(0.5), 0, -HUGE_VAL, std::log(0.4), -HUGE_VAL, -HUGE_VAL,
                                      -HUGE_VAL}));
}

TEST(TabularPolicy, mean_is_the_most_likely_action_the_first_of_equals) {
  const TabularPolicy policy("table", 3, 3, pi);
  const std::vector<double> state{0, 1, 2};
  std::vector<double> action(3);
  policy.mean_action(MatrixView<const double>(state.data(), 1, 3), {action.data(), 1, 3});
  EXPECT_EQ(action, (std::vector<double>{1, 2, 0}));
}

TEST(TabularPolicy, tells_its_shape) {
  const TabularPolicy policy("table", 3, 3, pi);
  EXPECT_EQ(policy.name(), "table");
  EXPECT_EQ(policy.states(), 3);
  EXPECT_EQ(policy.observation_dimensions(), 1);
  EXPECT_EQ(policy.action_space().count, 3);
  EXPECT_EQ(policy.row(2)[1], 0.2);
}

TEST(TabularPolicy, refuses_rows_that_are_no_distribution) {
  const auto make = [](std::vector<double> table) { return [table] { TabularPolicy("table", 2, 2, table); }; };
  expect_error(ErrorCode::bad_distribution, "policy 'table': pi[1] sums to 0.9", make({0.5, 0.5, 0.5, 0.4}));
  expect_error(ErrorCode::bad_distribution, "pi[0][1] is -0.5", make({1, -0.5, 0.5, 0.5}));
  expect_error(ErrorCode::bad_distribution, "pi[1][0] is nan", make({1, 0, NAN, 1}));
  expect_error(ErrorCode::shape_mismatch, "3 numbers for 2 states and 2 actions", make({1, 0, 1}));
  expect_error(ErrorCode::shape_mismatch, "0 numbers for 0 states", [] { TabularPolicy("table", 0, 2, {}); });
}

TEST(TabularPolicy, refuses_states_it_has_no_row_for) {
  const TabularPolicy policy("table", 3, 3, pi);
  for (const double state : {3.0, -1.0, static_cast<double>(NAN)}) {
    double action = 0;
    expect_error(ErrorCode::out_of_range, "legal: 0 to 2", [&] {
      policy.mean_action(MatrixView<const double>(&state, 1, 1), {&action, 1, 1});
    });
  }
}

}  // namespace
}  // namespace mercer

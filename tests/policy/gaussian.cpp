#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/density.hpp"

namespace mercer {
namespace {

// Mean and log_std that do not depend on the state.
BatchFunction constants(std::vector<double> values) {
  return [values](MatrixView<const double>, MatrixView<double> out) {
    for (std::size_t r = 0; r < out.rows(); ++r) std::ranges::fill(out.row(r), values[r]);
  };
}

TEST(GaussianPolicy, density_integrates_to_one) {
  for (const double mean : {-1.5, 0.0, 0.7}) {
    for (const double log_std : {-2.0, -0.5, 0.2}) {
      const GaussianPolicy policy("g", squashed_contract(1, 1), constants({mean, log_std}));
      const double integral = DensityProbe(policy, {0}).integral(200'000);
      EXPECT_NEAR(integral, 1, 2e-5) << "mean " << mean << ", log_std " << log_std;
    }
  }
  const GaussianPolicy plane("g", squashed_contract(1, 2), constants({0.3, -0.4, -0.7, 0.1}));
  EXPECT_NEAR(DensityProbe(plane, {0}).integral(1000), 1, 1e-3);
}

TEST(GaussianPolicy, draws_follow_the_density) {
  const GaussianPolicy policy("g", squashed_contract(1, 1), constants({0.8, -0.3}));
  EXPECT_LT(DensityProbe(policy, {0}).distance_of_draws(20'000, 5), ks_limit(20'000));
}

// Each dimension has noise of its own: two equal dimensions differ, and do not move together.
TEST(GaussianPolicy, dimensions_are_drawn_apart) {
  const GaussianPolicy policy("g", squashed_contract(1, 2), constants({0, 0, 0, 0}));
  const std::vector<double> drawn = DensityProbe(policy, {0}).draws(20'000, 5);
  double product = 0, square = 0;
  for (std::size_t i = 0; i < 20'000; ++i) {
    product += drawn[i] * drawn[20'000 + i];
    square += drawn[i] * drawn[i];
  }
  EXPECT_NEAR(product / square, 0, 5 / std::sqrt(20'000.0));
}

// With the change of variables written out: p(a) = N(atanh(a/2); mean, std) / (2 (1 - (a/2)^2)).
TEST(GaussianPolicy, density_is_the_formula) {
  const double mean = 0.4, log_std = -0.9, std = std::exp(log_std);
  const GaussianPolicy policy("g", squashed_contract(1, 1), constants({mean, log_std}));
  for (const double a : {-1.99, -1.0, 0.0, 0.3, 1.7, 1.9999}) {
    const double u = std::atanh(a / 2);
    const double normal = std::exp(-0.5 * std::pow((u - mean) / std, 2)) / (std * std::sqrt(2 * std::numbers::pi));
    const double expected = normal / (2 * (1 - a * a / 4));
    EXPECT_NEAR(DensityProbe(policy, {0}).density({a})[0], expected, 1e-12 * expected);
  }
}

TEST(GaussianPolicy, nothing_is_outside_the_box_and_the_edge_is_finite) {
  const GaussianPolicy policy("g", squashed_contract(1, 1), constants({25, -1}));  // tanh(25) rounds to one
  const double drawn = DensityProbe(policy, {0}).draws(1, 1)[0];
  EXPECT_EQ(drawn, 2);
  const std::vector<double> state{0}, actions{2, 2.0000001, -3, std::nan("")};
  std::vector<double> out(4);
  const std::vector<double> states(4, 0.0);
  policy.log_prob({states.data(), 1, 4}, {actions.data(), 1, 4}, out);
  EXPECT_TRUE(std::isfinite(out[0]));
  for (const std::size_t i : {1, 2, 3}) EXPECT_EQ(out[i], -HUGE_VAL);
}

TEST(GaussianPolicy, without_squashing_it_is_the_normal_distribution) {
  Contract contract = squashed_contract(1, 1);
  contract.squash = Squash::none;
  contract.scale = {0.5};
  contract.centre = {0.25};
  const GaussianPolicy policy("g", contract, constants({1, -2}));
  EXPECT_NEAR(DensityProbe(policy, {0}).integral(100'000), 1, 1e-9);
  EXPECT_LT(DensityProbe(policy, {0}).distance_of_draws(20'000, 5), ks_limit(20'000));
  const std::vector<double> state{0};
  double action = 0;
  policy.mean_action({state.data(), 1, 1}, {&action, 1, 1});
  EXPECT_EQ(action, 0.75);
}

TEST(GaussianPolicy, mean_action_is_the_squashed_mean) {
  const GaussianPolicy policy("g", squashed_contract(1, 1), constants({0.6, -1}));
  const std::vector<double> states(700, 0.0);  // several chunks
  std::vector<double> actions(700);
  policy.mean_action({states.data(), 1, 700}, {actions.data(), 1, 700});
  for (const double action : actions) EXPECT_DOUBLE_EQ(action, 2 * std::tanh(0.6));
}

}  // namespace
}  // namespace mercer

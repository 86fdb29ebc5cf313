#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

Contract plain_contract(std::size_t actions) {
  Contract contract = squashed_contract(1, actions);
  contract.squash = Squash::none;
  contract.scale.assign(actions, 1);
  return contract;
}

BatchFunction same_as_state() {
  return [](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t r = 0; r < out.rows(); ++r) std::ranges::copy(in.row(0), out.row(r).begin());
  };
}

TEST(DeterministicPolicy, plays_its_action_clipped) {
  const DeterministicPolicy policy("d", plain_contract(1), same_as_state());
  const std::vector<double> states{-3, -2, 0.5, 7};
  std::vector<double> actions(4);
  policy.mean_action({states.data(), 1, 4}, {actions.data(), 1, 4});
  EXPECT_EQ(actions, (std::vector<double>{-2, -2, 0.5, 2}));
  EXPECT_EQ(DensityProbe(policy, {0.5}).draws(3, 1), (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST(DeterministicPolicy, has_no_density_without_a_spread) {
  const DeterministicPolicy policy("d", plain_contract(1), same_as_state());
  expect_error(ErrorCode::missing_option, "no density", [&] { DensityProbe(policy, {0}).density({0}); });
}

// The normal distribution cut off at the bounds; at an end of the box half of it is gone.
TEST(DeterministicPolicy, a_spread_gives_it_one) {
  for (const double state : {-2.0, -1.9, 0.0, 1.2, 5.0}) {
    for (const double spread : {0.01, 0.2, 1.0}) {
      const DeterministicPolicy policy("d", plain_contract(1), same_as_state(), spread);
      const DensityProbe probe(policy, {state});
      EXPECT_NEAR(probe.integral(100'000), 1, 1e-5) << state << " with " << spread;
      EXPECT_LT(probe.distance_of_draws(5'000, 3), ks_limit(5'000)) << state << " with " << spread;
    }
  }
}

TEST(DeterministicPolicy, chooses_one_discrete_action) {
  Contract contract;
  contract.observation = Space::box({{"x", {0, 3}, "", false}});
  contract.action = Space::discrete("a", 4);
  const DeterministicPolicy policy("d", contract, same_as_state());
  EXPECT_EQ(DensityProbe(policy, {2}).density({0, 1, 2, 3}), (std::vector<double>{0, 0, 1, 0}));
  EXPECT_EQ(DensityProbe(policy, {2}).draws(2, 1), (std::vector<double>{2, 2}));
}

TEST(DeterministicPolicy, refuses_a_spread_that_makes_no_sense) {
  for (const double spread : {0.0, -1.0, 1.5, std::nan("")}) {
    expect_error(ErrorCode::out_of_range, "spread",
                 [&] { DeterministicPolicy("d", plain_contract(1), same_as_state(), spread); });
  }
  Contract unbounded = plain_contract(1);
  unbounded.clip = {{0, HUGE_VAL}};
  expect_error(ErrorCode::bad_value, "bounds", [&] { DeterministicPolicy("d", unbounded, same_as_state(), 0.1); });
}

}  // namespace
}  // namespace mercer

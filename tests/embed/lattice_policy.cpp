#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/embedding.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// One observation in [0, 4), four cells of which the second was never visited; three action bins on [-2, 2].
LatticePolicy small_policy(LatticePlay playing) {
  const Grid grid{{even_edges(0, 4, 4)}};
  const std::array points{0.5, 2.5, 3.5};
  auto cells = std::make_shared<Cells>(grid, MatrixView<const double>(points.data(), 1, 3));
  Contract contract = squashed_contract(1, 1);
  contract.squash = Squash::none;
  return {"l", contract, cells, {{{{-2, -1, 1, 2}, 0}}}, {3, 3, {0.2, 0.5, 0.3, 1, 0, 0, 0, 0.25, 0.75}}, playing};
}

TEST(LatticePolicy, with_noise_its_density_integrates_to_one_and_is_drawn_from) {
  const LatticePolicy policy = small_policy({Unvisited::uniform, true});
  for (const double state : {0.1, 1.5, 2.2, 3.9, 77.0}) {
    const DensityProbe probe(policy, {state});
    EXPECT_NEAR(probe.integral(4000), 1, 1e-9) << state;
    EXPECT_LT(probe.distance_of_draws(5000, 3), ks_limit(5000)) << state;
  }
  EXPECT_DOUBLE_EQ(DensityProbe(policy, {0.1}).density({0})[0], 0.25) << "half of the mass on a bin of width two";
}

TEST(LatticePolicy, without_noise_actions_are_the_middles) {
  const LatticePolicy policy = small_policy({Unvisited::uniform, false});
  const DensityProbe probe(policy, {0.1});
  const std::vector<double> p = probe.density({-1.5, 0, 1.5, 0.1});
  EXPECT_NEAR(p[0], 0.2, 1e-15);
  EXPECT_NEAR(p[1], 0.5, 1e-15);
  EXPECT_NEAR(p[2], 0.3, 1e-15);
  EXPECT_EQ(p[3], 0);
  std::array<double, 3> shares{};
  for (const double a : probe.draws(20'000, 4)) shares[a < -1 ? 0 : a < 1 ? 1 : 2] += 1 / 20'000.0;
  EXPECT_NEAR(shares[0], 0.2, 0.015);
  EXPECT_NEAR(shares[1], 0.5, 0.02);
}

TEST(LatticePolicy, unvisited_cells_are_uniform_or_take_the_nearest) {
  const double unvisited = 1.9;  // nearer to the third cell than to the first
  const auto p = [&](Unvisited rule) {
    return DensityProbe(small_policy({rule, false}), {unvisited}).density({-1.5, 0, 1.5});
  };
  for (const double value : p(Unvisited::uniform)) EXPECT_NEAR(value, 1.0 / 3, 1e-15);
  EXPECT_EQ(p(Unvisited::nearest), (std::vector<double>{1, 0, 0}));
}

TEST(LatticePolicy, mean_action_is_the_mean_of_the_row) {
  const std::vector<double> states{0.1, 2.5, 1.2};
  std::vector<double> actions(3);
  small_policy({Unvisited::uniform, true}).mean_action({states.data(), 1, 3}, {actions.data(), 1, 3});
  EXPECT_NEAR(actions[0], 0.2 * -1.5 + 0.3 * 1.5, 1e-15);
  EXPECT_NEAR(actions[1], -1.5, 1e-15);
  EXPECT_NEAR(actions[2], 0, 1e-15);
}

// The first row has its own edges, the others the common ones.
TEST(LatticePolicy, plays_the_bins_of_each_row) {
  for (const bool noise : {true, false}) {
    const LatticePolicy plain = small_policy({Unvisited::uniform, noise});
    const OwnEdges own{{0, OwnEdges::none, OwnEdges::none}, {{{{{-1.2, -0.8, 0, 1.6}, 0}}}}};
    const LatticePolicy policy("l", plain.contract(), std::make_shared<Cells>(plain.cells()), plain.actions(),
                               plain.table(), {Unvisited::uniform, noise}, own);
    const DensityProbe probe(policy, {0.1}), other(policy, {3.9}), same(plain, {3.9});
    EXPECT_EQ(other.density({-1.5, 0, 1.5}), same.density({-1.5, 0, 1.5}));
    EXPECT_EQ(other.draws(100, 3), same.draws(100, 3));
    if (noise) {
      EXPECT_NEAR(probe.integral(4000), 1, 1e-9);
      EXPECT_LT(probe.distance_of_draws(5000, 3), ks_limit(5000));
      EXPECT_DOUBLE_EQ(probe.density({-1})[0], 0.5) << "a fifth of the mass on a bin of width 0.4";
      EXPECT_EQ(probe.density({1.9})[0], 0) << "beyond its own edges";
    } else {
      for (const double a : probe.draws(100, 4)) EXPECT_TRUE(a == -1 || a == -0.4 || a == 0.8) << a;
      EXPECT_NEAR(probe.density({0.8})[0], 0.3, 1e-15);
    }
    const std::vector<double> states{0.1, 2.5};
    std::vector<double> actions(2);
    policy.mean_action({states.data(), 1, 2}, {actions.data(), 1, 2});
    EXPECT_NEAR(actions[0], 0.2 * -1 + 0.5 * -0.4 + 0.3 * 0.8, 1e-15);
    EXPECT_NEAR(actions[1], -1.5, 1e-15);
  }
}

TEST(LatticePolicy, refuses_a_table_that_does_not_fit) {
  const Grid grid{{even_edges(0, 4, 4)}};
  const std::array points{0.5, 2.5};
  const auto cells = std::make_shared<Cells>(grid, MatrixView<const double>(points.data(), 1, 2));
  expect_error(ErrorCode::shape_mismatch, "a table of 3 x 1 for 2 cells", [&] {
    LatticePolicy("l", squashed_contract(1, 1), cells, {{even_edges(-2, 2, 1)}}, {3, 1, {1, 1, 1}}, {});
  });
}

}  // namespace
}  // namespace mercer

#include "certify/lattice_model.hpp"

#include <cmath>
#include <numeric>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "certify/pruning.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/golden_mdp.hpp"

namespace mercer {
namespace {

// Whole numbers 0 .. count - 1, one bin each.
Grid whole_numbers(std::size_t count) { return discrete_action_grid(count); }

Cells cells_of(const Rollouts& rollouts, std::size_t count) {
  return {whole_numbers(count), MatrixView<const double>(rollouts.observations.data(), 1, rollouts.steps())};
}

TEST(LatticeModel, counts_of_three_steps_by_hand) {
  Rollouts r;
  r.gamma = 0.5;
  r.offsets = {0, 2, 3};
  r.observations = {0, 1, 1};
  r.actions = {0, 1, 1};
  r.rewards = {2, 4, 8};
  r.final_observations = {0, 1};
  r.terminated = {0, 1};  // the second episode is ended by the task
  const LatticeModel model = estimate_model(r, cells_of(r, 3), whole_numbers(2));
  ASSERT_EQ(model.mdp.n, 3U);  // two cells and the end
  EXPECT_EQ(model.cells, 2U);
  EXPECT_EQ(model.outside, LatticeModel::none);
  EXPECT_EQ(model.terminal, 2U);
  EXPECT_EQ(model.mdp.mu, (std::vector<double>{0.5, 0.5, 0}));
  EXPECT_EQ(model.visits, (std::vector<double>{1, 0, 0, 2, 0, 0}));
  EXPECT_EQ(model.mdp.r, (std::vector<double>{2, 2, 6, 6, 0, 0}));  // untried actions do as the others
  // (0, 0) -> 1; (1, 1) -> 0 once, the end once; the end stays.
  EXPECT_EQ(model.mdp.offsets, (std::vector<std::size_t>{0, 1, 2, 4, 6, 7, 8}));
  EXPECT_EQ(model.mdp.next, (std::vector<std::uint32_t>{1, 1, 0, 2, 0, 2, 2, 2}));
  EXPECT_EQ(model.mdp.probability, (std::vector<double>{1, 1, 0.5, 0.5, 0.5, 0.5, 1, 1}));
  EXPECT_EQ(model.radius[1], 1);  // never tried
  EXPECT_EQ(model.radius[4], 0);  // the end is known
  EXPECT_EQ(model.delta_r, 8);    // from the end's 0 to 8
  // V(0) = 2 + V(1) / 2 and V(1) = 6 + V(0) / 4: V(0) = 5 / (7 / 8), V(1) = 6.5 / (7 / 8).
  const std::vector<double> pi = model_policy(model, std::vector<double>{1, 0, 0, 1});
  EXPECT_NEAR(solve_tabular(model.mdp, pi).eta, 0.5 * 5 / 0.875 + 0.5 * 6.5 / 0.875, 1e-13);
}

TEST(LatticeModel, cells_that_were_pruned_are_one_state) {
  Rollouts r;
  r.gamma = 0.5;
  r.offsets = {0, 4};
  r.observations = {0, 0, 1, 0};
  r.actions = {0, 0, 0, 0};
  r.rewards = {0, 0, 1, 0};
  r.final_observations = {2};
  r.terminated = {0};
  const Cells kept = cells_of(r, 3).pruned(0.3);  // cell 1 had one visit of four, cell 2 none
  ASSERT_EQ(kept.size(), 1U);
  const LatticeModel model = estimate_model(r, kept, whole_numbers(1));
  EXPECT_EQ(model.mdp.n, 2U);
  EXPECT_EQ(model.outside, 1U);
  EXPECT_EQ(model.terminal, LatticeModel::none);
  EXPECT_EQ(model.visits, (std::vector<double>{3, 1}));
  EXPECT_NEAR(model.mdp.probability[0], 1.0 / 3, 1e-15);
  EXPECT_EQ(model.mdp.r, (std::vector<double>{0, 1}));
}

TEST(LatticeModel, of_a_golden_process_comes_close_and_its_radii_cover_it) {
  const nlohmann::json golden = read_theory("mdp_106_n4_m2");
  TabularMdp mdp = theory_mdp(golden);
  mdp.horizon = 50;
  const TabularEnv env("golden", mdp);
  const std::vector<double> pi1 = flat(golden.at("pi1")), pi2 = flat(golden.at("pi2"));
  const Rollouts r = rollout(env, TabularPolicy("pi1", 4, 2, pi1), {.episodes = 4000, .seed = 3});
  const SparseMdp world = sparse_mdp(mdp);
  const Range rewards = reward_range(world);
  const LatticeModel model = estimate_model(r, cells_of(r, 4), whole_numbers(2), {.rewards = rewards});
  ASSERT_EQ(model.mdp.n, 4U);
  for (std::size_t pair = 0; pair < 8; ++pair) {
    double TV = 0;
    std::vector<double> row(4);
    for (std::size_t i = model.mdp.offsets[pair]; i < model.mdp.offsets[pair + 1]; ++i) {
      row[model.mdp.next[i]] = model.mdp.probability[i];
    }
    for (std::size_t s = 0; s < 4; ++s) TV += std::abs(row[s] - mdp.P[pair * 4 + s]) / 2;
    EXPECT_LE(TV, model.radius[pair]);
    EXPECT_LT(model.radius[pair], 0.2);
    EXPECT_NEAR(model.mdp.r[pair], mdp.r[pair], 1e-10);
  }
  const double difference = std::abs(exact_difference(world, pi1, pi2).difference);
  const std::vector<Bound> rows = model_bounds(model, pi1, pi2);
  const Bound *const in_model = find_bound(rows, "model_exact"), *const in_world = find_bound(rows, "model_world");
  fmt::print("difference {:.4f}, in the model {:.4f}, certified {:.4f}\n", difference, in_model->value,
             in_world->value);
  EXPECT_NEAR(in_model->value, difference, 0.05);
  EXPECT_GE(in_world->value, difference);
  EXPECT_FALSE(in_world->vacuous);
}

TEST(LatticeModel, weissmans_radius_by_hand) {
  // Two outcomes: ln(2^2 - 2) = ln 2; 100 draws of one row at 0.05.
  const double expected = std::sqrt((std::log(2.0) + std::log(M_PI * M_PI * 1e4 / 0.3)) / 200);
  EXPECT_NEAR(weissman_radius(100, 2, 1, 0.05), expected, 1e-15);
  EXPECT_EQ(weissman_radius(0, 5, 1, 0.05), 1);
  EXPECT_EQ(weissman_radius(10, 1, 1, 0.05), 0);
  EXPECT_LT(weissman_radius(1e9, 5000, 5000, 0.05), 0.01) << "no overflow of 2^5000";
}

TEST(LatticeModel, bad_input_is_refused) {
  Rollouts r;
  r.gamma = 1;
  r.offsets = {0, 1};
  r.observations = {0};
  r.actions = {0};
  r.rewards = {1};
  r.final_observations = {0};
  r.terminated = {0};
  const Cells cells = cells_of(r, 2);
  expect_error(ErrorCode::out_of_range, "gamma", [&] { estimate_model(r, cells, whole_numbers(1)); });
  r.gamma = 0.5;
  expect_error(ErrorCode::out_of_range, "delta", [&] { estimate_model(r, cells, whole_numbers(1), {.delta = 0}); });
  expect_error(ErrorCode::out_of_range, "declared", [&] {
    estimate_model(r, cells, whole_numbers(1), {.rewards = Range{2, 3}});
  });
  const LatticeModel model = estimate_model(r, cells, whole_numbers(1));
  expect_error(ErrorCode::shape_mismatch, "table", [&] { model_policy(model, {}); });
  r.rewards.clear();
  expect_error(ErrorCode::shape_mismatch, "rollouts", [&] { estimate_model(r, cells, whole_numbers(1)); });
}

}  // namespace
}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "certify/discretisation.hpp"
#include "certify/exact.hpp"
#include "certify/pruning.hpp"
#include "mercer/certify.hpp"
#include "support/errors.hpp"
#include "support/random_pairs.hpp"

namespace mercer {
namespace {

// One state, rewards 1 and 0, g = 1/2: small enough to work every row by hand. delta = (-1/2, 1/2), V1 = 3/2, V2 = 1/2,
// both critics reach 3/4.
class ByHand : public testing::Test {
 protected:
  TabularMdp mdp{1, 2, {1, 1}, {1, 0}, {1}, 0.5, 1, {}};
  std::vector<double> pi1{0.75, 0.25}, pi2{0.25, 0.75};
  std::vector<std::vector<double>> atoms{{0, 2}};
  std::vector<double> states{0, 1, 2, 3}, actions{0, 0, 1, 1};
  TabularComparison comparison = compare(mdp, pi1, pi2);
  BoundInputs inputs{.kernel = make_action_kernel(ActionKernelKind::identity, 2),
                     .K = 1,
                     .atoms = atoms,
                     .T = 2,
                     .state_samples = {states.data(), 1, 4},
                     .action_samples = {actions.data(), 1, 4},
                     .state_bins = {2},
                     .action_bins = {1},
                     .trajectories = 100,
                     .held_out = 100};

  void expect(const std::vector<Bound>& rows, const std::string& id, double value, double tolerance = 1e-12) {
    const Bound* const row = find_bound(rows, id);
    ASSERT_NE(row, nullptr) << id;
    EXPECT_TRUE(row->applicable) << id << ": " << row->needs;
    EXPECT_NEAR(row->value, value, tolerance) << id;
    EXPECT_FALSE(row->needs.empty()) << id;
  }
};

TEST_F(ByHand, every_printed_row) {
  const std::vector<Bound> rows = paper_bounds(comparison, inputs);
  const double E = 0.5 / (1 - std::sqrt(0.5));  // eps* = 2^(-1/4), K = 1
  expect(rows, "paper_rkhs_distance", 0.5);
  expect(rows, "paper_geometric_tail", E);
  EXPECT_NEAR(find_bound(rows, "paper_geometric_tail")->measured.value(), 0.5, 1e-12);
  expect(rows, "paper_trunc_inf", 24 * 0.25 + 0.75);
  expect(rows, "paper_trunc_k", 0.75);  // only the constant function is kept: below the truth, which is 1
  expect(rows, "paper_trunc_tail", 24 * E * E + 0.75);
  expect(rows, "paper_alpha", 2.25);
  expect(rows, "paper_discretisation", 0);
  expect(rows, "paper_discretisation_fixed", 0.5);
  const double pruning = 4 * std::sqrt((6 + 4 * std::log(20.0)) / 200);
  expect(rows, "paper_pruning", pruning);
  expect(rows, "paper_three_terms", 0.5 + pruning + 6.75);
  expect(rows, "paper_coverage", 1);  // Z = 1, ||delta|| = sqrt(1/2), ||T|| = sqrt 2
  EXPECT_EQ(find_bound(rows, "paper_coverage")->measured.value(), 0);
  expect(rows, "paper_coverage_l1", 1);
  expect(rows, "paper_bandit_p1", 0.5);
  expect(rows, "paper_bandit_p2", std::sqrt(0.5));
  expect(rows, "paper_bandit_pinf", 1);
  expect(rows, "paper_variance_1", 0);  // the larger return has the smaller slope
  expect(rows, "paper_variance_2", 1);
  expect(rows, "paper_w1_mean_action", 1);
  EXPECT_NEAR(find_bound(rows, "paper_w1_mean_action")->measured.value(), 1, 1e-15);
  EXPECT_FALSE(find_bound(rows, "paper_variance")->applicable);
  for (const Bound& row : rows) EXPECT_EQ(row.level, Level::paper);
  EXPECT_EQ(best_bound(rows), nullptr) << "what is printed is no guarantee";
}

TEST_F(ByHand, every_rigorous_row) {
  const std::vector<Bound> rows = rigorous_bounds(comparison, inputs);
  expect(rows, "B0", 2);
  expect(rows, "B1", 2 * 0.5 * 0.75 * 2);
  expect(rows, "B1'", 1);
  for (const char* id : {"B2", "B2'", "B3", "B8", "D1"}) expect(rows, id, 1);
  expect(rows, "B4", 2);
  expect(rows, "B5", 2 * 0.5 / 0.75);  // E[g^tau] = (1/2) / (1 - 1/4)
  expect(rows, "B6", 0.5 / (0.5 * 0.75));
  expect(rows, "B7", 0.75 * 2 * 2 * std::sqrt(0.5));
  expect(rows, "B7'", 2 * 0.5 * 2 * std::sqrt(0.5));
  expect(rows, "B9", 1 + 4 * 0.25 * 0.5 * 0.75 * 4);
  expect(rows, "C1", 0);
  expect(rows, "C2", 0);
  expect(rows, "C3", 0);
  expect(rows, "C4", 2 * 0.5 * (2.0 / 3));
  expect(rows, "B0_T", 2);
  expect(rows, "B2'_T", 1);  // undiscounted, two steps: 1/2 each
  expect(rows, "B4_T", 0.5 + 1);
  expect(rows, "B5_T", 0.5 + 0.75);
  expect(rows, "bandit", 0.5);
  expect(rows, "V1", 0.5);
  expect(rows, "P1", 2 * (1 - std::pow(0.05, 0.01) + 0.25), 1e-9);  // no hits in 100: p = 1 - delta^(1/100)
  EXPECT_TRUE(find_bound(rows, "B0")->vacuous);
  EXPECT_TRUE(find_bound(rows, "B4")->vacuous);
  EXPECT_FALSE(find_bound(rows, "B5")->vacuous);
  const Bound* const best = best_bound(rows);
  ASSERT_NE(best, nullptr);
  EXPECT_NEAR(best->value, 1, 1e-12);
  for (const Bound& row : rows) {
    if (!row.applicable || row.quantity != Quantity::discounted_return) continue;
    EXPECT_GE(row.value, best->value) << row.id;
  }
}

TEST_F(ByHand, ids_are_unique_and_missing_inputs_are_named) {
  const BoundInputs bare{.kernel = make_action_kernel(ActionKernelKind::identity, 2)};
  std::vector<Bound> rows = rigorous_bounds(comparison, bare);
  for (Bound& row : paper_bounds(comparison, bare)) rows.push_back(std::move(row));
  std::set<std::string> ids;
  for (const Bound& row : rows) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_FALSE(row.needs.empty()) << row.id;
  }
  for (const char* id : {"D1", "B5_T", "P1", "P2", "paper_discretisation", "paper_pruning", "paper_three_terms",
                         "paper_w1_mean_action"}) {
    ASSERT_NE(find_bound(rows, id), nullptr) << id;
    EXPECT_FALSE(find_bound(rows, id)->applicable) << id;
  }
}

TEST_F(ByHand, exact_and_how_it_splits) {
  const SparseMdp sparse = sparse_mdp(mdp);
  const std::vector<double> half{0.5, 0.5}, most{0.9, 0.1};
  const ExactSplit split = exact_split(sparse, pi1, half, most, pi2);
  EXPECT_NEAR(split.total.difference, 1, split.total.error);
  EXPECT_NEAR(split.discretisation.difference, 0.5, split.discretisation.error + 1e-15);
  EXPECT_NEAR(split.pruning.difference, -0.8, split.pruning.error + 1e-15);
  EXPECT_NEAR(split.projection.difference, 1.3, split.projection.error + 1e-15);
  EXPECT_LT(split.total.error, 1e-13);
  const std::vector<Bound> rows = exact_bounds(split);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[0].id, "exact");
  EXPECT_GE(rows[0].value, 1);
  EXPECT_EQ(rows[2].id, "exact/pruning");
  EXPECT_NEAR(rows[2].value, 0.8, 1e-12);
}

TEST_F(ByHand, inputs_that_do_not_fit_are_refused) {
  const std::vector<double> three(3);
  const std::vector<std::vector<double>> three_atoms{three}, falling{{2, 0}};
  const auto refused = [&](ErrorCode code, const std::string& part, auto change) {
    BoundInputs wrong = inputs;
    change(wrong);
    expect_error(code, part, [&] { rigorous_bounds(comparison, wrong); });
    expect_error(code, part, [&] { paper_bounds(comparison, wrong); });
  };
  refused(ErrorCode::shape_mismatch, "kernel",
          [](BoundInputs& in) { in.kernel = make_action_kernel(ActionKernelKind::dct, 3); });
  refused(ErrorCode::shape_mismatch, "kernel", [](BoundInputs& in) { in.kernel = {}; });
  refused(ErrorCode::shape_mismatch, "inputs", [&](BoundInputs& in) { in.atoms = three_atoms; });
  refused(ErrorCode::bad_value, "rising", [&](BoundInputs& in) { in.atoms = falling; });
  refused(ErrorCode::out_of_range, "K", [](BoundInputs& in) { in.K = 3; });
  refused(ErrorCode::out_of_range, "hits", [](BoundInputs& in) { in.hits = 101; });
  refused(ErrorCode::out_of_range, "delta", [](BoundInputs& in) { in.confidence_delta = 0; });
  expect_error(ErrorCode::shape_mismatch, "policy 2", [&] { compare(mdp, pi1, three); });
  expect_error(ErrorCode::shape_mismatch, "no samples", [] { bin_areas({}, 2); });
  expect_error(ErrorCode::out_of_range, "probability of a miss", [] { held_out_pruning_bound(1, 0.9, 3, 0, 5, 0); });
}

TEST(Rows, what_is_done_after_the_end_does_not_count) {
  // State 1 is the end; the policies differ there alone.
  const TabularMdp mdp{2, 2, {0.5, 0.5, 0.2, 0.8, 0, 1, 0, 1}, {1, 2, 7, -7}, {1, 0}, 0.9, 1, {0, 1}};
  const std::vector<double> pi1{0.5, 0.5, 1, 0}, pi2{0.5, 0.5, 0, 1};
  const TabularComparison comparison = compare(mdp, pi1, pi2);
  EXPECT_EQ(comparison.alpha, 0);
  EXPECT_EQ(comparison.delta_r, 2);  // from the end's 0 to 2
  const std::vector<Bound> rows =
      rigorous_bounds(comparison, {.kernel = make_action_kernel(ActionKernelKind::identity, 2)});
  EXPECT_EQ(best_bound(rows)->value, 0);
  EXPECT_EQ(comparison.difference(), 0);
}

TEST(Rows, two_closed_classes_leave_only_the_discounted_form) {
  const TabularMdp mdp{2, 2, {1, 0, 1, 0, 0, 1, 0, 1}, {1, 0, 0, 1}, {0.5, 0.5}, 0.9, 1, {}};
  const std::vector<double> pi1{0.5, 0.5, 0.5, 0.5}, pi2{0.2, 0.8, 0.5, 0.5};
  const std::vector<Bound> rows =
      rigorous_bounds(compare(mdp, pi1, pi2), {.kernel = make_action_kernel(ActionKernelKind::haar, 2)});
  EXPECT_FALSE(find_bound(rows, "C1")->applicable);
  EXPECT_NE(find_bound(rows, "C1")->needs.find("2 closed classes"), std::string::npos);
  EXPECT_TRUE(find_bound(rows, "C4")->applicable);
  EXPECT_EQ(find_bound(rows, "C4")->measured.value(), 0);
}

}  // namespace
}  // namespace mercer

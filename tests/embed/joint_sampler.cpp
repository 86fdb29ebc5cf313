#include "embed/lattice/joint_sampler.hpp"

#include <gtest/gtest.h>

#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Two observations, four visited cells of nine; three uneven action bins.
class JointSampling : public testing::Test {
 protected:
  LatticePolicy policy(bool noise) const {
    Contract contract = squashed_contract(2, 1);
    contract.squash = Squash::none;
    return {"l", contract, cells_, {{{{-2, -1, 1, 2}, 0}}}, table_, {Unvisited::uniform, noise}};
  }
  // Counts of (cell, action cell) among the columns.
  std::vector<double> count(const std::vector<double>& states, const std::vector<double>& actions) const {
    std::vector<double> out(12);
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const std::size_t cell = cells_->find(&states[i], actions.size());
      EXPECT_NE(cell, Cells::none);
      ++out[cell * 3 + (actions[i] < -1 ? 0U : actions[i] < 1 ? 1U : 2U)];
    }
    return out;
  }
  std::vector<double> expected(std::span<const double> visits) const {
    double total = 0;
    for (const double weight : visits) total += weight;
    std::vector<double> out;
    for (std::size_t i = 0; i < 12; ++i) out.push_back(visits[i / 3] / total * table_.pi[i]);
    return out;
  }

  std::shared_ptr<const Cells> cells_ = std::make_shared<Cells>(Grid{{even_edges(0, 3, 3), even_edges(-1, 2, 3)}},
                                                                std::vector<std::uint32_t>{0, 1, 1, 0, 1, 2, 2, 2},
                                                                std::vector<std::uint64_t>{5, 1, 9, 2});
  PolicyTable table_{4, 3, {0.2, 0.5, 0.3, 1, 0, 0, 0, 0.25, 0.75, 0.4, 0.4, 0.2}};
};

TEST_F(JointSampling, draws_visits_times_rows) {
  constexpr std::size_t draws = 100'000;
  std::vector<std::uint64_t> items(draws);
  for (std::size_t i = 0; i < draws; ++i) items[i] = i;
  std::vector<double> states(2 * draws), actions(draws);
  for (const bool noise : {true, false}) {
    const LatticePolicy played = policy(noise);
    for (const std::vector<double>& visits : {std::vector<double>{}, std::vector<double>{0.1, 0, 0.3, 0.6}}) {
      const JointSampler joint(played, visits);
      joint.sample({4, Stage::action, 0, items}, {states.data(), 2, draws}, {actions.data(), 1, draws});
      const ChiSquare found(count(states, actions),
                            expected(visits.empty() ? std::vector<double>{5, 1, 9, 2} : visits));
      EXPECT_LT(found.value, found.limit());
    }
  }
  EXPECT_EQ(states[0], std::floor(states[0]) + 0.5) << "without noise states are middles, too";
}

TEST_F(JointSampling, with_noise_points_are_even_inside_their_cells) {
  constexpr std::size_t draws = 20'000;
  std::vector<std::uint64_t> items(draws);
  for (std::size_t i = 0; i < draws; ++i) items[i] = i;
  std::vector<double> states(2 * draws), actions(draws), inside;
  const LatticePolicy played = policy(true);
  const JointSampler joint(played);
  joint.sample({4, Stage::action, 0, items}, {states.data(), 2, draws}, {actions.data(), 1, draws});
  for (std::size_t d = 0; d < 2; ++d) {
    inside.clear();
    for (std::size_t i = 0; i < draws; ++i) inside.push_back(states[d * draws + i] - std::floor(states[d * draws + i]));
    EXPECT_LT(ks_distance_to_uniform(inside, 0, 1), ks_limit(draws));
  }
  inside.clear();
  for (const double action : actions) {
    if (action > -1 && action < 1) inside.push_back(action);
  }
  EXPECT_LT(ks_distance_to_uniform(inside, -1, 1), ks_limit(double(inside.size())));
  // A column has its own numbers, whatever stands beside it.
  double state[2], action = 0;
  joint.sample({4, Stage::action, 0, {&items[77], 1}}, {state, 2, 1}, {&action, 1, 1});
  EXPECT_EQ(action, actions[77]);
  EXPECT_EQ(state[1], states[draws + 77]);
}

TEST_F(JointSampling, refuses_visits_that_are_none) {
  const LatticePolicy played = policy(true);
  const auto joint = [&](std::vector<double> visits) { JointSampler{played, visits}; };
  expect_error(ErrorCode::shape_mismatch, "3 visits for 4 cells", [&] { joint({1, 2, 3}); });
  expect_error(ErrorCode::bad_distribution, "visited -1 times", [&] { joint({1, -1, 3, 4}); });
  expect_error(ErrorCode::bad_distribution, "sum to 0", [&] { joint({0, 0, 0, 0}); });
}

}  // namespace
}  // namespace mercer

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/allocation_count.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

const char* const bases[] = {"fourier", "dct",         "haar",         "db4", "db4:mode=symmetric", "db2:tensor",
                             "svd",     "svd:centred", "svd:weighted", "gmm", "fixed-gmm",          "mle"};

// A real actor on a small lattice of the pendulum, and states as it and others meet them: some in cells that were never
// visited, some outside of the lattice.
class ActingLattice : public testing::Test {
 protected:
  static constexpr std::size_t count = 6000;

  ActingLattice() {
    Random random({5, Stage::task, 0, 0});
    for (std::size_t i = 0; i < count; ++i) {
      const double angle = 7 * random.uniform();
      states_[i] = std::cos(angle);
      states_[count + i] = std::sin(angle);
      states_[2 * count + i] = 18 * random.uniform() - 9;
      items_[i] = i;
    }
  }
  LatticeEmbedding make(const TruncationOptions& options) const {
    return LatticeEmbedding::make(*teacher_, lattice_, options_.playing, options);
  }
  static LatticeEmbedding act(const LatticeEmbedding& made, const Acting& acting) {
    return LatticeEmbedding::decode(made.payload(), made.policy().contract(), "bytes", acting);
  }
  MatrixView<const double> states() const { return {states_.data(), 3, count}; }
  std::vector<double> actions(const Policy& policy) const {
    std::vector<double> out(count);
    policy.sample(states(), {3, Stage::action, 7, items_}, {out.data(), 1, count});
    return out;
  }
  std::vector<double> means(const Policy& policy) const {
    std::vector<double> out(count);
    policy.mean_action(states(), {out.data(), 1, count});
    return out;
  }
  std::vector<double> log_prob(const Policy& policy, const std::vector<double>& played) const {
    std::vector<double> out(count);
    policy.log_prob(states(), {played.data(), 1, count}, out);
    return out;
  }
  static LatticeOptions small() {
    LatticeOptions options = best_lattice();
    options.state_bins = {9, 9, 13};
    options.action_bins = {11};
    return options;
  }

  LatticeOptions options_ = small();
  std::unique_ptr<Env> env_ = make_env("pendulum");
  std::unique_ptr<Policy> teacher_ =
      make_policy(ReferencePairs::file("pendulum_5000_actor.onnx").string(), env_->task());
  Lattice lattice_ = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 30, .seed = 1}), options_);
  std::vector<double> states_ = std::vector<double>(3 * count);
  std::vector<std::uint64_t> items_ = std::vector<std::uint64_t>(count);
};

// The same draws meet the same rows, whose entries differ by rounding: a draw that falls between the two is one in
// 1e12.
TEST_F(ActingLattice, from_coefficients_is_the_same_as_from_the_table) {
  for (const std::string basis : bases) {
    for (const SimplexRule rule : {SimplexRule::clip, SimplexRule::euclidean}) {
      const LatticeEmbedding table =
          make({.basis = basis, .k = basis.starts_with("svd") || basis.ends_with("gmm") ? 4U : 120U, .simplex = rule});
      const LatticeEmbedding rows = act(table, {.from = RowsFrom::coefficients});
      ASSERT_FALSE(rows.policy().has_table());
      const std::vector<double> played = actions(table.policy());
      EXPECT_EQ(actions(rows.policy()), played) << basis;
      const std::vector<double> expected = log_prob(table.policy(), played), found = log_prob(rows.policy(), played);
      const std::vector<double> mean = means(table.policy()), found_mean = means(rows.policy());
      for (std::size_t i = 0; i < count; ++i) {
        ASSERT_NEAR(found[i], expected[i], 1e-6) << basis << ", state " << i;
        ASSERT_NEAR(found_mean[i], mean[i], 1e-9) << basis << ", state " << i;
      }
    }
  }
}

TEST_F(ActingLattice, every_order_of_rows_finds_its_row) {
  for (const RowOrder order :
       {RowOrder::lexicographic, RowOrder::snake, RowOrder::tour, RowOrder::mean_action, RowOrder::axes}) {
    const LatticeEmbedding table = make({.basis = "dct", .k = 200, .order = order});
    const LatticeEmbedding rows = act(table, {.from = RowsFrom::coefficients});
    std::vector<double> row(rows.policy().columns());
    for (std::size_t r = 0; r < table.table().rows; ++r) {
      rows.policy().row(r, row);
      for (std::size_t c = 0; c < row.size(); ++c) ASSERT_NEAR(row[c], table.table().row(r)[c], 1e-12);
    }
  }
}

TEST_F(ActingLattice, from_coefficients_plays_the_edges_of_each_cell) {
  options_.conditional_actions = true;
  options_.action_bins = {5};
  lattice_ = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 30, .seed = 1}), options_);
  ASSERT_FALSE(lattice_.own.empty());
  for (const char* const basis : {"dct", "gmm", "mle"}) {
    const LatticeEmbedding table = make({.basis = basis, .k = 3});
    const LatticeEmbedding rows = act(table, {.from = RowsFrom::coefficients});
    const std::vector<double> played = actions(table.policy());
    EXPECT_EQ(actions(rows.policy()), played) << basis;
    const std::vector<double> expected = log_prob(table.policy(), played), found = log_prob(rows.policy(), played);
    for (std::size_t i = 0; i < count; ++i) ASSERT_NEAR(found[i], expected[i], 1e-6) << basis << ", state " << i;
    EXPECT_EQ(rows.energies(), table.energies());
  }
}

// Two action dimensions are two axes, and a row of the policy several rows of the transform.
TEST(ActingInTwoDimensions, from_coefficients_is_the_same_along_axes) {
  const GaussianPolicy teacher("g", squashed_contract(1, 2), [](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t i = 0; i < in.cols(); ++i) {
      for (std::size_t r = 0; r < 4; ++r) out(r, i) = r < 2 ? std::sin(in(0, i) + static_cast<double>(r)) : -0.5;
    }
  });
  Random random({4, Stage::task, 0, 0});
  Rollouts met;
  for (std::size_t i = 0; i < 200; ++i) {
    met.observations.push_back(6 * random.uniform());
    for (std::size_t d = 0; d < 2; ++d) met.actions.push_back(4 * random.uniform() - 2);
  }
  met.offsets = {0, 200};
  LatticeOptions options = best_lattice();
  options.state_bins = {12};
  options.action_bins = {5, 7};
  const Lattice lattice = make_lattice(teacher, met, options);
  for (const char* const basis : {"fourier", "dct", "db2", "db2:tensor"}) {
    const TruncationOptions truncation{.basis = basis, .k = 60, .order = RowOrder::axes};
    const auto table = LatticeEmbedding::make(teacher, lattice, options.playing, truncation);
    const auto rows =
        LatticeEmbedding::decode(table.payload(), table.policy().contract(), "bytes", {.from = RowsFrom::coefficients});
    std::vector<double> row(35);
    for (std::size_t r = 0; r < table.table().rows; ++r) {
      rows.policy().row(r, row);
      for (std::size_t c = 0; c < row.size(); ++c) ASSERT_NEAR(row[c], table.table().row(r)[c], 1e-12) << basis;
    }
  }
}

TEST_F(ActingLattice, allocates_nothing_for_a_single_state) {
  for (const std::string basis : bases) {
    for (const RowsFrom from : {RowsFrom::decoded, RowsFrom::coefficients}) {
      for (const DrawRule rule : {DrawRule::inverse, DrawRule::alias, DrawRule::importance}) {
        if (from == RowsFrom::coefficients && rule == DrawRule::alias) continue;
        const LatticeEmbedding embedding =
            act(make({.basis = basis, .k = 6, .simplex = SimplexRule::euclidean}), {.from = from, .draw = rule});
        const auto play = [&](std::size_t begin, std::size_t end) {
          double action = 0, log_prob = 0;
          for (std::size_t i = begin; i < end; ++i) {
            const MatrixView<const double> state = states().columns(i, 1);
            embedding.policy().sample(state, {3, Stage::action, 7, {&items_[i], 1}}, {&action, 1, 1});
            embedding.policy().log_prob(state, {&action, 1, 1}, {&log_prob, 1});
            embedding.policy().mean_action(state, {&action, 1, 1});
          }
        };
        play(0, 300);
        const std::size_t before = allocation_count;
        play(300, 900);
        EXPECT_EQ(allocation_count, before) << basis;
      }
    }
  }
}

TEST_F(ActingLattice, is_chosen_behind_the_name_of_the_file) {
  const TemporaryFolder folder;
  const std::string file = (folder / "p.mercer").string();
  const LatticeEmbedding embedding = make({.basis = "fourier", .k = 90});
  write_embedding(file, embedding, {"pendulum", "actor", 1, {}});
  const auto policy = [&](const std::string& settings) { return make_policy(file + settings, env_->task()); };
  EXPECT_EQ(policy("")->name(), file);
  for (const char* const settings : {":from=coefficients", ":from=decoded,draw=inverse"}) {
    EXPECT_EQ(actions(*policy(settings)), actions(embedding.policy())) << settings;
  }
  EXPECT_FALSE(dynamic_cast<const LatticePolicy&>(*policy(":from=coefficients")).has_table());
  EXPECT_NE(actions(*policy(":draw=alias")), actions(embedding.policy())) << "the same draws, otherwise used";
  EXPECT_NE(actions(*policy(":draw=importance,proposals=9,proposal=uniform")),
            actions(*policy(":draw=importance,proposals=9")));

  expect_error(ErrorCode::unknown_name, "no setting of an embedding is called 'form'",
               [&] { policy(":form=decoded"); });
  expect_error(ErrorCode::unknown_name, "is called 'coeficients'", [&] { policy(":from=coeficients"); });
  expect_error(ErrorCode::bad_value, "is not key=value", [&] { policy(":alias"); });
  expect_error(ErrorCode::bad_value, "is not an integer", [&] { policy(":draw=importance,proposals=many"); });
  expect_error(ErrorCode::out_of_range, "proposals", [&] { policy(":draw=importance,proposals=0"); });
  expect_error(ErrorCode::bad_value, "alias tables", [&] { policy(":from=coefficients,draw=alias"); });
}

TEST_F(ActingLattice, from_coefficients_has_no_table_and_refuses_damage) {
  for (const char* const basis : {"fourier", "db4", "svd"}) {
    const LatticeEmbedding embedding = make({.basis = basis, .k = 5});
    expect_error(ErrorCode::missing_option, "has no table",
                 [&] { act(embedding, {.from = RowsFrom::coefficients}).table(); });
    Random random({12, Stage::task, 0, 0});
    for (int round = 0; round < 200; ++round) {
      std::vector<std::uint8_t> damaged = embedding.payload();
      damaged[random.bits() % damaged.size()] = static_cast<std::uint8_t>(random.bits());
      std::vector<bool> read;
      for (const RowsFrom from : {RowsFrom::decoded, RowsFrom::coefficients}) {
        try {
          LatticeEmbedding::decode(damaged, embedding.policy().contract(), "bytes", {.from = from});
          read.push_back(true);
        } catch (const Error&) {
          read.push_back(false);
        }
      }
      EXPECT_TRUE(read[1] || !read[0]) << "what the table can be rebuilt from can be played from";
    }
  }
}

}  // namespace
}  // namespace mercer

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "embed/payload/lattice_code.hpp"
#include "io/file.hpp"
#include "mercer/embed.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"
#include "support/plain_task.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"
#include "support/thread_team.hpp"

namespace mercer {
namespace {

// A real actor on the pendulum: 700 episodes are three pieces, some thousand cells several chains of rows.
class LargeLattice : public testing::Test {
 protected:
  LargeOptions options() const {
    LargeOptions options;
    options.lattice.state_bins = {20};
    options.lattice.action_bins = {12};
    options.truncation.basis = "svd";
    options.truncation.k = 4;
    options.episodes = 700;
    options.seed = 5;
    options.scratch = folder_.path();
    return options;
  }
  LargeEmbedding embed(const LargeOptions& options, const std::string& name = "large.mercer") const {
    return embed_large(*env_, *teacher_, options, folder_ / name, {"pendulum", "actor", options.seed, {}});
  }
  Lattice in_memory(const LargeOptions& options) const {
    const Rollouts played = rollout(*env_, *teacher_, {.episodes = options.episodes, .seed = options.seed});
    return make_lattice(*teacher_, played, options.lattice);
  }

  TemporaryFolder folder_;
  std::unique_ptr<Env> env_ = make_env("pendulum");
  std::unique_ptr<Policy> teacher_ =
      make_policy(ReferencePairs::file("pendulum_5000_actor.onnx").string(), env_->task());
};

double farthest(const PolicyTable& a, const PolicyTable& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.pi.size(); ++i) most = std::max(most, std::abs(a.pi[i] - b.pi[i]));
  return most;
}

void expect_same_lattice(const LatticePolicy& a, const LatticePolicy& b) {
  for (std::size_t d = 0; d < a.cells().grid().dimensions(); ++d) {
    EXPECT_EQ(a.cells().grid().axes[d].values, b.cells().grid().axes[d].values);
  }
  for (std::size_t d = 0; d < a.actions().dimensions(); ++d) {
    EXPECT_EQ(a.actions().axes[d].values, b.actions().axes[d].values);
  }
  ASSERT_EQ(a.cells().size(), b.cells().size());
  for (std::size_t c = 0; c < a.cells().size(); ++c) ASSERT_TRUE(a.cells().key(c) == b.cells().key(c));
}

TEST_F(LargeLattice, holds_what_the_way_through_memory_does) {
  double worst = 0;
  for (const EdgeKind kind : {EdgeKind::uniform, EdgeKind::quantile, EdgeKind::data_quantile}) {
    for (const std::string basis : {"svd", "svd:centred", "svd:weighted"}) {
      if (basis != "svd" && kind != EdgeKind::uniform) continue;
      LargeOptions options = this->options();
      options.lattice.state_edges = options.lattice.action_edges = {kind, 1};
      options.lattice.table = kind == EdgeKind::quantile ? TableRule::centre : TableRule::mass;
      options.lattice.prune = kind == EdgeKind::quantile ? 1e-5 : 0;
      options.truncation.basis = basis;
      options.sketch = 1 << 18;  // more than there are steps
      const LargeEmbedding made = embed(options);
      EXPECT_EQ(made.edges.certain_error, 0);
      const Lattice lattice = in_memory(options);
      TruncationOptions truncation = options.truncation;
      truncation.order = RowOrder::lexicographic;
      const auto expected = LatticeEmbedding::make(*teacher_, lattice, options.lattice.playing, truncation);
      const EmbeddingFile file = read_embedding(folder_ / "large.mercer");
      const LatticeEmbedding& found = file.embedding.lattice();
      expect_same_lattice(found.policy(), expected.policy());
      worst = std::max(worst, farthest(found.table(), expected.table()));
      EXPECT_LT(farthest(found.table(), expected.table()), 1e-5) << basis;
      EXPECT_EQ(found.basis(), expected.basis());
      EXPECT_EQ(found.payload().size(), expected.payload().size());
      EXPECT_EQ(made.payload_bytes, expected.payload().size());
      EXPECT_EQ(found.parameters().stored, expected.parameters().stored);
      EXPECT_NEAR(found.whole_energy(), expected.whole_energy(), 1e-5 * expected.whole_energy());
      EXPECT_EQ(made.collapsed_bins, lattice.collapsed_bins);
      const LatticeDistance distance = lattice_distance(lattice, expected.table());
      EXPECT_NEAR(made.distance.tv, distance.tv, 1e-5);
      EXPECT_NEAR(made.distance.w1, distance.w1, 1e-5);
      EXPECT_EQ(made.empty_rows, expected.empty_rows());
    }
  }
  std::cout << "largest difference of an entry " << worst << " of 1e-5\n";
}

TEST_F(LargeLattice, chooses_the_same_rank) {
  LargeOptions options = this->options();
  options.episodes = 100;
  const Lattice lattice = in_memory(options);
  for (const double energy : {0.0, 0.9, 0.99, 0.9999}) {
    options.truncation.k = 0;
    options.truncation.energy = energy;
    EXPECT_EQ(embed(options).k,
              LatticeEmbedding::make(*teacher_, lattice, options.lattice.playing, options.truncation).k());
  }
}

// Few integers have a bin each here, too, and discrete actions one column each.
TEST_F(LargeLattice, knows_finite_tasks) {
  for (const std::string task : {"chain:n=7", "cart-pole"}) {
    const auto env = make_env(task);
    const auto teacher = make_policy("uniform", env->task());
    LargeOptions options = this->options();
    options.truncation.k = 1;
    options.episodes = 100;
    embed_large(*env, *teacher, options, folder_ / "l.mercer", {task, "uniform", 5, {}});
    const Rollouts played = rollout(*env, *teacher, {.episodes = 100, .seed = 5});
    const Lattice lattice = make_lattice(*teacher, played, options.lattice);
    const auto expected = LatticeEmbedding::make(*teacher, lattice, options.lattice.playing, options.truncation);
    const EmbeddingFile file = read_embedding(folder_ / "l.mercer");
    expect_same_lattice(file.embedding.lattice().policy(), expected.policy());
    EXPECT_LT(farthest(file.embedding.lattice().table(), expected.table()), 1e-5) << task;
  }
}

TEST_F(LargeLattice, any_number_of_processes_and_threads_makes_the_same_bytes) {
  LargeOptions options = this->options();
  options.lattice.state_edges = {EdgeKind::quantile, 1};
  options.lattice.state_bins = {30};
  options.sketch = 256;
  const LargeEmbedding expected = embed(options);
  EXPECT_GT(expected.cells, 1024U) << "several chains are needed";
  EXPECT_GT(expected.edges.rank_error, 0);
  EXPECT_LT(expected.edges.rank_error, 0.05);
  EXPECT_GE(expected.edges.certain_error, expected.edges.rank_error);
  const std::string bytes = read_text(folder_ / "large.mercer");
  {
    const ThreadLimit one(1);
    embed(options, "thread.mercer");
    EXPECT_TRUE(read_text(folder_ / "thread.mercer") == bytes);
  }
  for (const std::size_t size : {2, 3, 5}) {
    const std::filesystem::path out = folder_ / std::to_string(size) += ".mercer";
    run_team(size, [&](const Team& team) {
      const LargeEmbedding made =
          embed_large(*env_, *teacher_, options, out, {"pendulum", "actor", options.seed, {}}, team);
      EXPECT_EQ(made.distance.w1, expected.distance.w1);
      EXPECT_EQ(made.distance.tv, expected.distance.tv);
      EXPECT_EQ(made.edges.rank_error, expected.edges.rank_error);
    });
    EXPECT_TRUE(read_text(out) == bytes) << size;
  }
}

// Edges that are off by few ranks leave each bin nearly its share of the visits.
TEST_F(LargeLattice, edges_are_as_close_as_the_file_says) {
  LargeOptions options = this->options();
  options.lattice.state_edges = {EdgeKind::data_quantile, 1};
  options.sketch = 512;
  const LargeEmbedding made = embed(options);
  const EmbeddingFile file = read_embedding(folder_ / "large.mercer");
  ASSERT_TRUE(file.edges);
  EXPECT_EQ(file.edges->rank_error, made.edges.rank_error);
  EXPECT_EQ(file.edges->certain_error, made.edges.certain_error);
  const Rollouts played = rollout(*env_, *teacher_, {.episodes = options.episodes, .seed = options.seed});
  EXPECT_EQ(file.edges->steps, played.steps());
  double worst = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::vector<double>& edges = file.embedding.lattice().policy().cells().grid().axes[d].values;
    ASSERT_EQ(edges.size(), 21U) << "no ties here";
    for (std::size_t e = 1; e < 20; ++e) {
      std::size_t below = 0, upto = 0;
      for (std::size_t t = 0; t < played.steps(); ++t) {
        const auto x = static_cast<float>(played.observations[t * 3 + d]);
        below += x < edges[e] ? 1 : 0;
        upto += x <= edges[e] ? 1 : 0;
      }
      const double share = static_cast<double>(e) / 20, steps = static_cast<double>(played.steps());
      const double low = static_cast<double>(below) / steps, high = static_cast<double>(upto) / steps;
      worst = std::max({worst, low - share, share - high});
    }
  }
  EXPECT_LE(worst, made.edges.rank_error + 1 / static_cast<double>(played.steps()));
  std::cout << "worst rank off by " << worst << ", promised " << made.edges.rank_error << "\n";
}

TEST_F(LargeLattice, refuses_what_it_cannot_do) {
  const auto expect_refused = [&](ErrorCode code, const std::string& part, const auto& change) {
    LargeOptions options = this->options();
    change(options);
    expect_error(code, part, [&] { embed(options, "refused.mercer"); });
    EXPECT_FALSE(std::filesystem::exists(folder_ / "refused.mercer"));
  };
  using Options = LargeOptions;
  for (const std::string basis : {"dct", "gmm", "db4", "svd:randomised", "svd:rank=3"}) {
    expect_refused(ErrorCode::bad_value, "needs its table in memory", [&](Options& o) { o.truncation.basis = basis; });
  }
  expect_refused(ErrorCode::out_of_range, "episodes is 0", [](Options& o) { o.episodes = 0; });
  expect_refused(ErrorCode::bad_value, "kmeans", [](Options& o) { o.lattice.state_edges.kind = EdgeKind::kmeans; });
  expect_refused(ErrorCode::bad_value, "tempered",
                 [](Options& o) { o.lattice.action_edges.kind = EdgeKind::tempered; });
  expect_refused(ErrorCode::bad_value, "counts", [](Options& o) { o.lattice.table = TableRule::counts; });
  expect_refused(ErrorCode::bad_value, "unvisited cells", [](Options& o) { o.lattice.full = true; });
  expect_refused(ErrorCode::bad_value, "each cell", [](Options& o) { o.lattice.conditional_actions = true; });
  expect_refused(ErrorCode::out_of_range, "k for basis 'svd' is 13", [](Options& o) { o.truncation.k = 13; });
  expect_refused(ErrorCode::out_of_range, "action cells", [](Options& o) { o.lattice.action_bins = {5000}; });
  expect_refused(ErrorCode::out_of_range, "k of a quantile sketch", [](Options& o) { o.sketch = 7; });
  expect_refused(ErrorCode::out_of_range, "prunes all cells", [](Options& o) { o.lattice.prune = 0.9; });
  expect_refused(ErrorCode::cannot_write, "no folder", [&](Options& o) { o.scratch = folder_ / "none"; });
  expect_refused(ErrorCode::cannot_write, "/proc", [](Options& o) { o.scratch = "/proc"; });
}

// 300 x 2^20 entries, which nobody should have to hold; the factors are few.
TEST(LargeFile, acts_from_its_factors) {
  constexpr std::size_t cells = 300, columns = std::size_t{1} << 20;
  LatticeCode code;
  code.states.axes = {even_edges(-1, 1, cells)};
  for (std::uint32_t c = 0; c < cells; ++c) code.bins.push_back(c);
  code.discrete = true;
  code.actions = discrete_action_grid(columns);
  code.basis = "svd";
  code.k = 1;
  code.numbers.assign(cells + columns, 0.25F);
  const Contract contract = contract_of(plain_task(1, Space::discrete("a", columns)));
  const auto made = LatticeEmbedding::decode(encode(code), contract, "large");
  EXPECT_FALSE(made.policy().has_table());
  std::vector<double> row(columns);
  made.policy().row(7, row);
  EXPECT_NEAR(row[columns - 1] * static_cast<double>(columns), 1, 1e-9);
  expect_error(ErrorCode::missing_option, "has no table", [&] { static_cast<void>(made.table()); });

  LatticeCode none = code;  // factors that say nothing about how many columns there are
  none.k = 0;
  none.numbers.clear();
  expect_error(ErrorCode::too_large, "300 states and 1048576 actions",
               [&] { LatticeEmbedding::decode(encode(none), contract, "x"); });
  LatticeCode other = code;
  other.basis = "dct";
  expect_error(ErrorCode::too_large, "300 states and 1048576 actions",
               [&] { LatticeEmbedding::decode(encode(other), contract, "x"); });
}

TEST_F(LargeLattice, trouble_of_one_process_is_told_by_all) {
  run_team(3, [&](const Team& team) {
    LargeOptions options = this->options();
    if (team.rank == 1) options.scratch = folder_ / "none";
    expect_error(ErrorCode::cannot_write, "process 1 of 3",
                 [&] { embed_large(*env_, *teacher_, options, folder_ / "x.mercer", {}, team); });
  });
}

}  // namespace
}  // namespace mercer

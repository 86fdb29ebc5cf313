#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/file.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"
#include "mercer/rollout.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"
#include "support/files.hpp"
#include "support/reference_pairs.hpp"
#include "support/temporary.hpp"

namespace mercer {
namespace {

// A real actor on a small lattice of the continuous mountain car.
class LatticeEmbeddings : public testing::Test {
 protected:
  LatticeEmbedding make(const TruncationOptions& options) const {
    return LatticeEmbedding::make(*teacher_, lattice_, options_.playing, options);
  }
  double distance(const LatticeEmbedding& embedding) const {
    const std::vector<double> atoms(lattice_.table.cols);
    return table_distance(lattice_.table.pi, embedding.table().pi, atoms).tv;
  }

  static LatticeOptions small() {
    LatticeOptions options = best_lattice();
    options.state_bins = {12};
    options.action_bins = {8};
    return options;
  }

  LatticeOptions options_ = small();
  std::unique_ptr<Env> env_ = make_env("continuous-mountain-car");
  std::unique_ptr<Policy> teacher_ =
      make_policy(ReferencePairs::file("cmc_sde_10000_actor.onnx").string(), env_->task());
  Lattice lattice_ = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 20, .seed = 1}), options_);
};

const char* const linear_bases[] = {"fourier", "dct",         "haar",        "db4", "db4:mode=symmetric",
                                    "svd",     "svd:centred", "svd:weighted"};

TEST_F(LatticeEmbeddings, keep_everything_and_lose_only_rounding) {
  for (const std::string basis : linear_bases) {
    const bool svd = basis.starts_with("svd");
    std::size_t all = lattice_.table.cols;
    if (!svd) {
      const auto made = make_basis(basis);
      made->train({{lattice_.table.rows, lattice_.table.cols}, lattice_.table.pi});
      all = made->size();
    }
    EXPECT_LT(distance(make({.basis = basis, .k = all})), 1e-5) << basis;
  }
}

// A table of logits. All coefficients leave what the floor of the logits changes, which falls to rounding where rows
// have no entry below it; a coefficient that is constant over the actions is zero.
TEST_F(LatticeEmbeddings, keep_logits_with_softmax) {
  const double floor = static_cast<double>(lattice_.table.cols) * smallest_odds;
  for (const std::string basis : {"fourier", "dct", "db4", "svd", "svd:centred"}) {
    TruncationOptions options{.basis = basis, .simplex = SimplexRule::softmax};
    const auto made = make_basis(basis);
    made->train({{lattice_.table.rows, lattice_.table.cols}, lattice_.table.pi});
    options.k = basis.starts_with("svd") ? lattice_.table.cols : made->size();
    EXPECT_LT(distance(make(options)), floor) << basis;
    options.k = 0;  // by energy
    const LatticeEmbedding small = make(options);
    EXPECT_LT(small.k(), lattice_.table.rows * (lattice_.table.cols - 1)) << basis;
    EXPECT_LT(distance(small), 0.1) << basis;
    for (const double p : small.table().pi) EXPECT_GT(p, 0) << "softmax leaves nothing at zero";
  }
  const TruncationOptions free{
      .basis = "dct", .k = lattice_.table.rows * (lattice_.table.cols - 1), .simplex = SimplexRule::softmax};
  EXPECT_LT(distance(make(free)), floor) << "the others are zero";
  expect_error(ErrorCode::bad_value, "basis 'gmm' with softmax: it keeps probabilities",
               [&] { make({.basis = "gmm", .simplex = SimplexRule::softmax}); });
}

// Rows sum to one, which fixes n - 1 of n m coefficients where the basis keeps mass.
TEST_F(LatticeEmbeddings, keep_half_of_what_is_free_when_told) {
  const std::size_t rows = lattice_.table.rows, columns = lattice_.table.cols;
  EXPECT_EQ(make({.basis = "fourier", .energy = 0}).k(), (rows * (columns - 1) + 1) / 2);
  EXPECT_EQ(make({.basis = "dct", .energy = 0}).k(), (rows * (columns - 1) + 1) / 2);
  EXPECT_EQ(make({.basis = "svd", .energy = 0}).k(), columns / 2);
  const std::size_t free = rows * (columns - 1) + 1;
  EXPECT_LT(distance(make({.basis = "fourier", .k = free})), 1e-5) << "the others are zero";
}

// The twin: with one coefficient fewer the error is more than the share says.
TEST_F(LatticeEmbeddings, keep_the_fewest_that_hold_a_share_of_the_energy) {
  const double columns = static_cast<double>(lattice_.table.cols);
  double all = 0;  // the mean of a table of distributions is 1 / m everywhere
  for (const double p : lattice_.table.pi) all += (p - 1 / columns) * (p - 1 / columns);
  for (const std::string basis : {"dct", "svd:centred"}) {
    for (const double share : {0.5, 0.9, 0.99}) {
      const LatticeEmbedding embedding = make({.basis = basis, .energy = share});
      const auto lost = [&](std::size_t k) {
        const LatticeEmbedding with = make({.basis = basis, .k = k});
        double kept = 0;
        for (const double energy : with.energies()) kept += energy;
        return (with.whole_energy() - kept) / all;
      };
      EXPECT_LE(lost(embedding.k()), 1 - share + 1e-6) << basis;
      if (embedding.k() == 1) continue;
      EXPECT_GT(lost(embedding.k() - 1), 1 - share - 1e-6) << basis;
    }
  }
  expect_error(ErrorCode::out_of_range, "the share of energy to keep", [&] { make({.energy = 1}); });
}

TEST_F(LatticeEmbeddings, tell_energies_of_the_whole_table) {
  double whole = 0, centred = 0;
  for (const double p : lattice_.table.pi) whole += p * p;
  for (const double p : lattice_.table.pi) centred += std::pow(p - 1.0 / static_cast<double>(lattice_.table.cols), 2);
  EXPECT_NEAR(make({.basis = "dct", .k = 9}).whole_energy(), whole, 1e-9 * whole);
  EXPECT_NEAR(make({.basis = "svd", .k = 2}).whole_energy(), whole, 1e-9 * whole);
  const LatticeEmbedding svd = make({.basis = "svd:centred", .k = lattice_.table.cols});
  EXPECT_NEAR(svd.whole_energy(), centred, 1e-9 * whole);
  double kept = 0;
  for (const double energy : svd.energies()) kept += energy;
  EXPECT_NEAR(kept, centred, 1e-5 * whole);
  EXPECT_TRUE(std::ranges::is_sorted(svd.energies(), std::greater<>()));
}

// As before, but on the whole lattice: what is kept is another thing, and everything is still everything.
TEST_F(LatticeEmbeddings, on_axes_need_no_order_and_lose_less_with_more) {
  const std::size_t all = 12 * 12 * 8;
  for (const std::string basis : {"fourier", "dct", "haar:level=1", "db4:tensor"}) {
    double before = 1;
    for (const std::size_t k : {std::size_t{20}, std::size_t{200}, all / 2}) {
      const LatticeEmbedding embedding = make({.basis = basis, .k = k, .order = RowOrder::axes});
      const double now = distance(embedding);
      EXPECT_LT(now, before) << basis << ' ' << k;
      before = now;
      EXPECT_LT(embedding.payload().size(), make({.basis = basis, .k = k}).payload().size() + k);
    }
    const auto made = make_basis(basis);
    made->train({{12, 12, 8}, std::vector<double>(all)});
    EXPECT_LT(distance(make({.basis = basis, .k = made->size(), .order = RowOrder::axes})), 1e-5) << basis;
  }
  expect_error(ErrorCode::bad_value, "rows and columns only", [&] { make({.basis = "svd", .order = RowOrder::axes}); });
}

TEST_F(LatticeEmbeddings, of_mixtures_and_samples_come_close) {
  double before = 1;
  for (const std::size_t k : {1, 2, 4}) {
    const LatticeEmbedding embedding = make({.basis = "gmm", .k = k});
    EXPECT_EQ(embedding.parameters(), (ParameterCount{4 * k * lattice_.table.rows, (3 * k - 1) * lattice_.table.rows}));
    EXPECT_EQ(embedding.numbers().size(), embedding.parameters().stored);
    EXPECT_TRUE(embedding.energies().empty());
    const double now = distance(embedding);
    EXPECT_LT(now, before) << k;
    before = now;
  }
  EXPECT_LT(before, 0.06);
  const LatticeEmbedding fixed = make({.basis = "fixed-gmm:iterations=50", .k = 6});
  EXPECT_EQ(fixed.basis(), "fixed-gmm:iterations=50");
  EXPECT_EQ(fixed.parameters().stored, 5 * lattice_.table.rows);
  EXPECT_LT(distance(fixed), 0.6);
  // Frequencies of k draws are off by about sqrt(p (1 - p) / k) in each bin.
  for (const std::size_t k : {100, 10'000}) {
    const double bound = 0.5 * std::sqrt(static_cast<double>(lattice_.table.cols) / static_cast<double>(k));
    EXPECT_LT(distance(make({.basis = "mle", .k = k})), bound) << k;
    EXPECT_GT(distance(make({.basis = "mle", .k = k})), bound / 100) << k;
  }
  EXPECT_EQ(make({.basis = "mle"}).k(), 100);
  EXPECT_EQ(make({.basis = "mle", .k = 1}).parameters(), (ParameterCount{lattice_.table.rows, lattice_.table.rows}));
}

// One Gaussian of known mean and spread on a fine grid: the row comes back as its bin masses.
TEST_F(LatticeEmbeddings, of_mixtures_are_masses_of_bins) {
  LatticeOptions fine = options_;
  fine.action_bins = {200};
  Lattice lattice = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 3, .seed = 1}), fine);
  const Edges& bins = lattice.actions.axes[0];
  const auto below = [&](double x) { return 0.5 * std::erfc(-(x - 0.3) / 0.1 / std::sqrt(2.0)); };
  for (std::size_t r = 0; r < lattice.table.rows; ++r) {
    for (std::size_t b = 0; b < 200; ++b) lattice.table.row(r)[b] = below(bins.values[b + 1]) - below(bins.values[b]);
  }
  const LatticeEmbedding embedding = LatticeEmbedding::make(*teacher_, lattice, fine.playing, {.basis = "gmm", .k = 1});
  EXPECT_NEAR(embedding.numbers()[0], 0.3, 1e-4);
  EXPECT_NEAR(embedding.numbers()[1], 0.1, 1e-3);
  for (std::size_t b = 0; b < 200; ++b) EXPECT_NEAR(embedding.table().row(0)[b], lattice.table.row(0)[b], 1e-3);
}

TEST_F(LatticeEmbeddings, with_action_edges_of_each_cell_find_their_way_back) {
  LatticeOptions options = options_;
  options.conditional_actions = true;
  const Lattice lattice = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 20, .seed = 1}), options);
  ASSERT_GT(lattice.own.grids.size(), 5);
  ASSERT_LT(lattice.own.grids.size(), lattice.table.rows);
  for (const std::string basis : {"dct", "svd", "gmm"}) {
    const LatticeEmbedding embedding =
        LatticeEmbedding::make(*teacher_, lattice, options.playing, {.basis = basis, .k = 5});
    const OwnEdges& found = embedding.policy().own_edges();
    EXPECT_EQ(found.places, lattice.own.places);
    for (std::size_t g = 0; g < found.grids.size(); ++g) {
      EXPECT_EQ(found.grids[g].axes[0].values, lattice.own.grids[g].axes[0].values);
    }
    EXPECT_GE(embedding.parameters().stored, 9 * found.grids.size()) << "edges are numbers too";
    const LatticeEmbedding again =
        LatticeEmbedding::decode(embedding.payload(), embedding.policy().contract(), "bytes");
    const RolloutOptions playing{.episodes = 3, .seed = 3};
    EXPECT_EQ(rollout(*env_, again.policy(), playing).actions, rollout(*env_, embedding.policy(), playing).actions);
  }
}

TEST_F(LatticeEmbeddings, are_distributions_when_k_is_not_told) {
  for (const std::string basis : linear_bases) {
    const LatticeEmbedding embedding = make({.basis = basis});
    EXPECT_GT(embedding.k(), 0);
    EXPECT_LT(distance(embedding), 0.5) << basis;
    for (std::size_t r = 0; r < embedding.table().rows; ++r) {
      double total = 0;
      for (const double p : embedding.table().row(r)) {
        EXPECT_GE(p, 0);
        total += p;
      }
      EXPECT_NEAR(total, 1, 1e-12);
    }
  }
}

TEST_F(LatticeEmbeddings, every_order_of_rows_finds_its_way_back) {
  for (const RowOrder order : {RowOrder::lexicographic, RowOrder::snake, RowOrder::tour, RowOrder::mean_action}) {
    EXPECT_LT(distance(make({.basis = "dct", .k = lattice_.table.pi.size(), .order = order})), 1e-5);
  }
}

TEST_F(LatticeEmbeddings, play_the_same_from_their_bytes) {
  const LatticeEmbedding before = make({.basis = "fourier", .k = 60});
  const LatticeEmbedding after = LatticeEmbedding::decode(before.payload(), before.policy().contract(), "bytes");
  EXPECT_EQ(before.table().pi, after.table().pi);
  EXPECT_EQ(before.payload(), after.payload());
}

TEST_F(LatticeEmbeddings, are_files_that_play) {
  const TemporaryFolder folder;
  const LatticeEmbedding embedding = make({.basis = "db4", .k = 80});
  write_embedding(folder / "p.mercer", embedding, {"continuous-mountain-car", "actor", 7, {{"k", "80"}}});
  const EmbeddingFile file = read_embedding(folder / "p.mercer");
  EXPECT_EQ(file.embedding.lattice().table().pi, embedding.table().pi);
  EXPECT_EQ(file.embedding.parameters().stored, embedding.parameters().stored);
  EXPECT_EQ(file.origin.seed, 7);
  EXPECT_EQ(file.origin.settings.at("k"), "80");
  EXPECT_EQ(file.bytes, read_bytes(folder / "p.mercer").size());
  const auto policy = make_policy((folder / "p.mercer").string(), env_->task());
  const RolloutOptions options{.episodes = 30, .seed = 3};
  EXPECT_EQ(rollout(*env_, *policy, options).actions, rollout(*env_, embedding.policy(), options).actions);
  expect_error(ErrorCode::shape_mismatch, "was made for 'continuous-mountain-car'",
               [&] { make_policy((folder / "p.mercer").string(), make_env("pendulum")->task()); });
}

// A path may lead elsewhere after files have moved: the SHA-256 tells whether it is still the teacher.
TEST_F(LatticeEmbeddings, know_the_file_of_their_teacher) {
  const TemporaryFolder folder;
  const LatticeEmbedding embedding = make({.basis = "dct", .k = 8});
  const std::string path = (folder / "p.mercer").string();
  write_bytes(folder / "actor.onnx", "abc");
  const std::string abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";  // FIPS 180-4, example 1
  write_embedding(path, embedding, {"continuous-mountain-car", (folder / "actor.onnx").string(), 7, {}});
  EXPECT_EQ(read_embedding(path).origin.teacher_sha256, abc);
  write_embedding(path, embedding, {"continuous-mountain-car", "moved.onnx", 7, {}, abc});
  EXPECT_EQ(read_embedding(path).origin.teacher_sha256, abc);
  EXPECT_EQ(read_embedding(path).origin.teacher, "moved.onnx");
  write_embedding(path, embedding, {"continuous-mountain-car", "uniform", 7, {}});
  EXPECT_EQ(read_embedding(path).origin.teacher_sha256, "");
}

// Cut short anywhere, or with any byte changed: an error or another policy, never a crash.
void damage(const LatticeEmbedding& embedding) {
  const auto decode = [&](const std::vector<std::uint8_t>& bytes) {
    try {
      LatticeEmbedding::decode(bytes, embedding.policy().contract(), "bytes");
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  std::vector<std::uint8_t> bytes = embedding.payload();
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    EXPECT_FALSE(decode({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
  Random random({11, Stage::task, 0, 0});
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint8_t> damaged = bytes;
    damaged[random.bits() % bytes.size()] = static_cast<std::uint8_t>(random.bits());
    decode(damaged);
  }
  bytes.push_back(0);
  EXPECT_FALSE(decode(bytes)) << "something after the end";
}

TEST_F(LatticeEmbeddings, damaged_bytes_are_refused_or_play) {
  LatticeOptions options = options_;
  options.conditional_actions = true;
  const Lattice lattice = make_lattice(*teacher_, rollout(*env_, *teacher_, {.episodes = 20, .seed = 1}), options);
  for (const TruncationOptions& truncation :
       {TruncationOptions{.basis = "fourier", .k = 20}, TruncationOptions{.basis = "gmm", .k = 2},
        TruncationOptions{.basis = "mle", .k = 5},
        TruncationOptions{.basis = "dct", .k = 20, .order = RowOrder::axes}}) {
    damage(LatticeEmbedding::make(*teacher_, lattice, options.playing, truncation));
    damage(make(truncation));
  }
}

TEST_F(LatticeEmbeddings, refuse_what_makes_no_sense) {
  expect_error(ErrorCode::out_of_range, "k for basis 'gmm'", [&] { make({.basis = "gmm", .k = 9}); });
  expect_error(ErrorCode::unknown_name, "Did you mean 'gmm'?", [&] { make({.basis = "gm"}); });
  expect_error(ErrorCode::unknown_name, "setting of basis 'gmm'", [&] { make({.basis = "gmm:iteration=3"}); });
  expect_error(ErrorCode::out_of_range, "k for basis 'fourier'", [&] { make({.basis = "fourier", .k = 1'000'000}); });
  expect_error(ErrorCode::unknown_name, "basis", [&] { make({.basis = "furier", .k = 3}); });
  const TemporaryFolder folder;
  write_bytes(folder / "p.mercer", "no embedding at all, just text");
  EXPECT_THROW(read_embedding(folder / "p.mercer"), Error);
}

}  // namespace
}  // namespace mercer

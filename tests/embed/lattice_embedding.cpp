#include "mercer/embed/lattice_embedding.hpp"

#include <gtest/gtest.h>

#include "mercer/basis/basis.hpp"
#include "mercer/core/random.hpp"
#include "mercer/embed/file.hpp"
#include "mercer/env/registry.hpp"
#include "mercer/measure/distances.hpp"
#include "mercer/policy/registry.hpp"
#include "mercer/rollout/rollout.hpp"
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

const char* const bases[] = {"fourier", "dct",         "haar",        "db4", "db4:mode=symmetric",
                             "svd",     "svd:centred", "svd:weighted"};

TEST_F(LatticeEmbeddings, keep_everything_and_lose_only_rounding) {
  for (const std::string basis : bases) {
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

TEST_F(LatticeEmbeddings, keep_half_when_not_told) {
  for (const std::string basis : bases) {
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

// Cut short anywhere, or with any byte changed: an error or another policy, never a crash.
TEST_F(LatticeEmbeddings, damaged_bytes_are_refused_or_play) {
  const LatticeEmbedding embedding = make({.basis = "fourier", .k = 20});
  const auto decode = [&](const std::vector<std::uint8_t>& bytes) {
    try {
      LatticeEmbedding::decode(bytes, embedding.policy().contract(), "bytes");
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  std::vector<std::uint8_t> bytes = embedding.payload();
  for (std::size_t size = 0; size < bytes.size(); size += 3) {
    EXPECT_FALSE(decode({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  }
  Random random({11, Stage::task, 0, 0});
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint8_t> damaged = bytes;
    damaged[random.bits() % bytes.size()] = static_cast<std::uint8_t>(random.bits());
    decode(damaged);
  }
  bytes.push_back(0);
  EXPECT_FALSE(decode(bytes)) << "something after the end";
}

TEST_F(LatticeEmbeddings, refuse_what_makes_no_sense) {
  expect_error(ErrorCode::out_of_range, "k for basis 'fourier'", [&] { make({.basis = "fourier", .k = 1'000'000}); });
  expect_error(ErrorCode::unknown_name, "basis", [&] { make({.basis = "furier", .k = 3}); });
  const TemporaryFolder folder;
  write_bytes(folder / "p.mercer", "no embedding at all, just text");
  EXPECT_THROW(read_embedding(folder / "p.mercer"), Error);
}

}  // namespace
}  // namespace mercer

#include "lattice/quantile_sketch.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "mercer/error.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/thread_team.hpp"

namespace mercer {
namespace {

std::vector<double> numbers(std::size_t count, std::uint64_t seed, bool ties) {
  Random random({seed, Stage::simulate, 1, 0});
  std::vector<double> all(count);
  for (double& one : all) one = ties ? std::floor(random.normal() * 5) : random.normal();
  return all;
}

// How far the rank of x is from r: x covers the ranks from one more than are below it to how many are not above it.
double off_by(const std::vector<double>& sorted, double x, std::uint64_t r) {
  const auto below = static_cast<double>(std::ranges::lower_bound(sorted, x) - sorted.begin()) + 1;
  const auto upto = static_cast<double>(std::ranges::upper_bound(sorted, x) - sorted.begin());
  const auto rank = static_cast<double>(r);
  return rank < below ? below - rank : rank > upto ? rank - upto : 0;
}

TEST(QuantileSketch, IsExactWhileEverythingFits) {
  const std::vector<double> data = numbers(1000, 3, false);
  QuantileSketch sketch(1000);
  sketch.add(data);
  EXPECT_TRUE(sketch.exact());
  EXPECT_EQ(sketch.rank_error(0.01), 0);
  for (const std::size_t bins : {1, 7, 35, 999}) {
    for (const EdgeKind kind : {EdgeKind::data_quantile, EdgeKind::quantile, EdgeKind::uniform}) {
      EXPECT_EQ(sketch_edges(sketch, bins, {kind, 1}).values, make_edges(data, bins, {kind, 1}).values);
    }
    EXPECT_EQ(sketch_edges(sketch, bins).values, make_edges(data, bins, {EdgeKind::data_quantile, 1}).values);
  }
  sketch.add(std::vector<double>{0.5});
  EXPECT_FALSE(sketch.exact());
}

TEST(QuantileSketch, KnowsTheEndsOfWhatItDoesNotHold) {
  const std::vector<double> data = numbers(50'000, 4, false);
  QuantileSketch sketch(8);
  sketch.add(data);
  const EdgeRule even{EdgeKind::uniform, 0};
  EXPECT_EQ(sketch_edges(sketch, 35, even).values, make_edges(data, 35, even).values);
  for (const EdgeKind kind : {EdgeKind::kmeans, EdgeKind::tempered}) {
    expect_error(ErrorCode::bad_value, "from a sketch", [&] { sketch_edges(sketch, 35, {kind, 0.5}); });
  }
}

// An interpolated edge lies between data whose ranks are the two that were asked for, or nearly.
TEST(QuantileSketch, InterpolatedEdgesAreWithinWhatIsStated) {
  std::vector<double> data = numbers(100'000, 9, false);
  QuantileSketch sketch(512, 3);
  sketch.add(data);
  std::ranges::sort(data);
  const Edges edges = sketch_edges(sketch, 50, {EdgeKind::quantile, 1});
  ASSERT_EQ(edges.bins(), 50U);
  double worst = 0;
  for (std::size_t i = 0; i <= 50; ++i) {
    const auto place = static_cast<std::uint64_t>(static_cast<double>(i) / 50 * 99'999) + 1;
    worst = std::max(worst, off_by(data, edges.values[i], place));
  }
  EXPECT_LE(worst, sketch.certain_rank_error() + 1);
  std::cout << "worst rank of an interpolated edge is off by " << worst << " of " << sketch.certain_rank_error()
            << "\n";
}

TEST(QuantileSketch, RanksAreWithinWhatIsStated) {
  double worst_certain = 0, worst_likely = 0;
  std::size_t broken = 0, asked = 0;
  for (const std::size_t k : {32, 256, 1024}) {
    for (const std::size_t count : {500, 20'000, 200'000}) {
      for (const bool ties : {false, true}) {
        std::vector<double> data = numbers(count, k + count, ties);
        QuantileSketch sketch(k, 7);
        sketch.add(data);
        EXPECT_EQ(sketch.count(), count);
        std::ranges::sort(data);
        std::vector<std::uint64_t> ranks;
        for (std::uint64_t i = 1; i <= 20; ++i) ranks.push_back(count * i / 20);
        const std::vector<double> found = sketch.at_ranks(ranks);
        const double certain = sketch.certain_rank_error(), likely = sketch.rank_error(0.05, ranks.size());
        EXPECT_LE(likely, certain);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
          const double off = off_by(data, found[i], ranks[i]);
          EXPECT_LE(off, certain);
          broken += off > likely;
          ++asked;
          if (certain > 0) worst_certain = std::max(worst_certain, off / certain);
          if (likely > 0) worst_likely = std::max(worst_likely, off / likely);
        }
        EXPECT_EQ(found.back(), data.back());
      }
    }
  }
  EXPECT_LE(broken, asked / 20);
  RecordProperty("largest_share_of_certain", std::to_string(worst_certain));
  std::printf("rank errors: up to %.3f of the certain bound, %.3f of that at 95%%\n", worst_certain, worst_likely);
}

TEST(QuantileSketch, ErrorsFallWithK) {
  const std::vector<double> data = numbers(300'000, 9, false);
  double last = HUGE_VAL;
  for (const std::size_t k : {64, 256, 1024, 4096}) {
    QuantileSketch sketch(k);
    sketch.add(data);
    const double stated = sketch.rank_error(0.01) / static_cast<double>(data.size());
    EXPECT_LT(stated, last / 2);
    EXPECT_LT(stated, 8.0 / static_cast<double>(k));
    last = stated;
  }
}

TEST(QuantileSketch, MergedItIsWithinItsBoundToo) {
  std::vector<double> data = numbers(100'000, 11, false);
  QuantileSketch merged(128, 1, 99);
  for (std::size_t part = 0; part < 37; ++part) {
    QuantileSketch one(128, 1, part);
    const Share own = share_of(part, 37, data.size(), 1);
    one.add(std::span(data).subspan(own.begin, own.end - own.begin));
    merged.merge(one);
  }
  EXPECT_EQ(merged.count(), data.size());
  std::ranges::sort(data);
  EXPECT_EQ(merged.smallest(), data.front());
  for (std::uint64_t r = 1; r <= data.size(); r += 997) {
    EXPECT_LE(off_by(data, merged.at_ranks(std::vector{r})[0], r), merged.certain_rank_error());
  }
  EXPECT_THROW(merged.merge(QuantileSketch(64)), Error);
}

TEST(QuantileSketch, AnyNumberOfProcessesMakesTheSameBytes) {
  const std::vector<double> data = numbers(50'123, 13, false);
  const std::string alone = sketch_shared(data, data.size(), 200, 5, Team{}, 1000).to_bytes();
  for (const std::size_t size : {2, 3, 7, 60}) {
    std::vector<std::string> made(size);
    run_team(size, [&](const Team& team) {
      const Share own = share_of(team.rank, size, data.size(), 1000);
      made[team.rank] =
          sketch_shared(std::span(data).subspan(own.begin, own.end - own.begin), data.size(), 200, 5, team, 1000)
              .to_bytes();
    });
    for (const std::string& bytes : made) EXPECT_EQ(bytes, alone);
  }
  EXPECT_THROW(sketch_shared(std::span(data).first(10), data.size(), 200, 5, Team{}, 1000), Error);
}

TEST(QuantileSketch, BytesComeBackAndDamageIsSeen) {
  QuantileSketch sketch(16, 2, 3);
  sketch.add(numbers(1000, 1, false));
  const std::string bytes = sketch.to_bytes();
  EXPECT_EQ(QuantileSketch::from_bytes(bytes).to_bytes(), bytes);
  for (std::size_t length = 0; length < bytes.size(); length += 13) {
    EXPECT_THROW(QuantileSketch::from_bytes(bytes.substr(0, length)), Error);
  }
  std::string large = bytes;
  large[76] = '\x7f';  // in the number of levels
  EXPECT_THROW(QuantileSketch::from_bytes(large), Error);
}

TEST(QuantileSketch, BadInputIsRefused) {
  EXPECT_THROW(QuantileSketch(7), Error);
  QuantileSketch sketch(8);
  EXPECT_THROW(sketch.add(std::vector<double>{NAN}), Error);
  EXPECT_THROW(sketch_edges(sketch, 3), Error);
  sketch.add(std::vector<double>{1, 2});
  EXPECT_THROW(sketch.at_ranks(std::vector<std::uint64_t>{0}), Error);
  EXPECT_THROW(sketch.at_ranks(std::vector<std::uint64_t>{3}), Error);
  EXPECT_THROW(sketch.at_ranks(std::vector<std::uint64_t>{2, 1}), Error);
  EXPECT_THROW(sketch.rank_error(0), Error);
}

}  // namespace
}  // namespace mercer

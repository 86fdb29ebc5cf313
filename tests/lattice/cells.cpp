#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "mercer/lattice.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "support/errors.hpp"

namespace mercer {
namespace {

// Points spread unevenly over a grid of `bins` bins in each of `dimensions` dimensions.
struct Points {
  Points(std::size_t dimensions, std::size_t count, std::size_t bins) : rows(dimensions), cols(count) {
    Random random({7, Stage::task, dimensions, 0});
    for (std::size_t i = 0; i < rows * cols; ++i) numbers.push_back(random.normal() * 0.3);
    for (std::size_t d = 0; d < rows; ++d) {
      Edges edges;
      for (std::size_t b = 0; b <= bins; ++b) {
        edges.values.push_back(-1 + 2 * static_cast<double>(b) / static_cast<double>(bins));
      }
      grid.axes.push_back(edges);
    }
  }
  MatrixView<const double> view() const { return {numbers.data(), rows, cols}; }
  std::vector<std::size_t> bins_of(std::size_t column) const {
    std::vector<std::size_t> bins;
    for (std::size_t d = 0; d < rows; ++d) bins.push_back(grid.axes[d].bin(numbers[d * cols + column]));
    return bins;
  }

  std::size_t rows, cols;
  std::vector<double> numbers;
  Grid grid;
};

// The brute-force twin: a map from bin indices to counts, which sorts as the numbers do.
void expect_counted(const Points& points) {
  std::map<std::vector<std::size_t>, std::uint64_t> expected;
  for (std::size_t i = 0; i < points.cols; ++i) ++expected[points.bins_of(i)];
  const Cells cells(points.grid, points.view());
  ASSERT_EQ(cells.size(), expected.size());
  EXPECT_EQ(cells.visits(), points.cols);
  std::size_t place = 0;
  for (const auto& [bins, count] : expected) {
    EXPECT_EQ(cells.counts()[place], count);
    std::vector<double> middle;
    for (std::size_t d = 0; d < points.rows; ++d) {
      ASSERT_EQ(cells.bin(place, d), bins[d]);
      middle.push_back(cells.centre(place, d));
    }
    EXPECT_EQ(cells.find(middle.data()), place);
    ++place;
  }
  for (std::size_t i = 0; i < points.cols; i += 37) EXPECT_NE(cells.find(&points.numbers[i], points.cols), Cells::none);
}

TEST(Cells, are_counted_with_64_bits) {
  for (const std::size_t dimensions : {1, 2, 3, 6}) {
    const Points points(dimensions, 2000, 9);
    expect_counted(points);
    EXPECT_FALSE(Cells(points.grid, points.view()).wide());
  }
}

// 35 bins in 20 dimensions need 103 bits.
TEST(Cells, are_counted_with_128_bits) {
  const Points points(20, 2000, 35);
  expect_counted(points);
  EXPECT_TRUE(Cells(points.grid, points.view()).wide());
}

TEST(Cells, beyond_128_bits_are_refused) {
  const Points points(26, 3, 35);
  expect_error(ErrorCode::too_large, "legal: up to 2^127", [&] { Cells(points.grid, points.view()); });
}

TEST(Cells, do_not_depend_on_threads) {
  const Points points(3, 50'000, 20);
  std::vector<std::vector<std::uint64_t>> counts;
  for (const std::size_t threads : {1, 2}) {
    const ThreadLimit limit(threads);
    const Cells cells(points.grid, points.view());
    counts.emplace_back(cells.counts().begin(), cells.counts().end());
  }
  EXPECT_EQ(counts[0], counts[1]);
}

TEST(Cells, what_was_not_visited_is_not_found) {
  const Points points(2, 1, 10);
  const Cells cells(points.grid, points.view());
  const std::array far{0.99, -0.99};
  EXPECT_EQ(cells.find(far.data()), Cells::none);
}

TEST(Cells, outside_counts_to_the_ends) {
  const Points points(1, 1, 4);
  const std::array numbers{-5.0, -0.9, 7.0, 0.9};
  const Cells cells(points.grid, MatrixView<const double>(numbers.data(), 1, 4));
  ASSERT_EQ(cells.size(), 2);
  EXPECT_EQ(cells.counts()[0], 2);
}

TEST(Cells, rarely_visited_ones_can_be_pruned) {
  const Points points(2, 5000, 12);
  const Cells all(points.grid, points.view());
  const Cells kept = all.pruned(0.01);
  EXPECT_EQ(kept.size(), static_cast<std::size_t>(std::ranges::count_if(all.counts(), [](auto n) { return n > 50; })));
  EXPECT_LT(kept.size(), all.size());
  EXPECT_EQ(all.pruned(0).size(), all.size());
  expect_error(ErrorCode::out_of_range, "pruning threshold", [&] { all.pruned(1); });
}

TEST(Cells, can_be_made_from_what_a_file_keeps) {
  const Points points(3, 500, 8);
  const Cells before(points.grid, points.view());
  std::vector<std::uint32_t> indices;
  for (std::size_t c = 0; c < before.size(); ++c) {
    for (std::size_t d = 0; d < 3; ++d) indices.push_back(static_cast<std::uint32_t>(before.bin(c, d)));
  }
  const std::vector<std::uint64_t> counts(before.counts().begin(), before.counts().end());
  const Cells after(points.grid, indices, counts);
  for (std::size_t i = 0; i < points.cols; ++i) {
    EXPECT_EQ(after.find(&points.numbers[i], points.cols), before.find(&points.numbers[i], points.cols));
  }
  auto damaged = indices;
  damaged[0] = 8;
  expect_error(ErrorCode::out_of_range, "a bin index", [&] { Cells(points.grid, damaged, counts); });
  std::swap_ranges(indices.begin(), indices.begin() + 3, indices.begin() + 3);
  expect_error(ErrorCode::bad_value, "rising order", [&] { Cells(points.grid, indices, counts); });
  indices.pop_back();
  expect_error(ErrorCode::shape_mismatch, "bin indices", [&] { Cells(points.grid, indices, counts); });
}

}  // namespace
}  // namespace mercer

#include "lattice/cell_counter.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

Grid even_grid(std::size_t dimensions, std::size_t bins) {
  Grid grid;
  for (std::size_t d = 0; d < dimensions; ++d) grid.axes.push_back(even_edges(-1, 1, bins));
  return grid;
}

std::vector<double> points(std::size_t dimensions, std::size_t count) {
  Random random({5, Stage::simulate, dimensions, 0});
  std::vector<double> all(dimensions * count);
  for (double& one : all) one = 0.3 * random.normal();
  return all;
}

void expect_same(const Cells& a, const Cells& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.visits(), b.visits());
  EXPECT_TRUE(std::ranges::equal(a.counts(), b.counts()));
  for (std::size_t c = 0; c < a.size(); ++c) ASSERT_TRUE(a.key(c) == b.key(c));
}

// Few cells that are met again and again, cells of which most are met once, and numbers that need 128 bits.
TEST(CellCounter, counts_pieces_as_all_at_once) {
  for (const auto& [dimensions, bins] : {std::pair<std::size_t, std::size_t>{2, 10}, {5, 20}, {20, 35}}) {
    constexpr std::size_t count = 5000;
    const Grid grid = even_grid(dimensions, bins);
    const std::vector<double> all = points(dimensions, count);
    const MatrixView<const double> view(all.data(), dimensions, count);
    for (const std::size_t piece : {1, 7, 640, 4999, 5000}) {
      CellCounter counter(grid);
      for (std::size_t begin = 0; begin < count; begin += piece) {
        counter.add(view.columns(begin, std::min(piece, count - begin)));
      }
      expect_same(counter.take(), Cells(grid, view));
      EXPECT_EQ(counter.take().size(), 0U) << "what was taken is gone";
    }
  }
}

TEST(CellCounter, cells_travel_as_bytes) {
  for (const std::size_t dimensions : {2, 20}) {
    const Grid grid = even_grid(dimensions, 35);
    const std::vector<double> all = points(dimensions, 300);
    const Cells cells(grid, {all.data(), dimensions, 300});
    const std::string bytes = cells.to_bytes();
    expect_same(Cells::from_bytes(grid, bytes), cells);
    EXPECT_EQ(Cells::from_bytes(grid, "").size(), 0U);
    const auto expect_damaged = [&](const std::string& damaged) {
      expect_error(ErrorCode::corrupt_file, "damaged", [&] { Cells::from_bytes(grid, damaged); });
    };
    expect_damaged(bytes.substr(1));
    expect_damaged(std::string(bytes.size(), '\0'));
    expect_damaged(std::string(bytes.size() / cells.size(), '\x7f'));
  }
}

TEST(CellCounter, grids_must_be_one) {
  const std::vector<double> all = points(2, 10);
  const Cells one(even_grid(2, 10), {all.data(), 2, 10}), other(even_grid(2, 11), {all.data(), 2, 10});
  expect_error(ErrorCode::shape_mismatch, "different grids", [&] { Cells::merged(one, other); });
}

}  // namespace
}  // namespace mercer

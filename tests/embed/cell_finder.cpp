#include "embed/lattice/cell_finder.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/random.hpp"
#include "support/allocation_count.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Looks at every cell; the first of equals.
std::size_t brute_force(const Cells& cells, const std::vector<double>& point) {
  std::size_t best = 0;
  double least = HUGE_VAL;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    double distance = 0;
    for (std::size_t d = 0; d < point.size(); ++d) {
      const Edges& axis = cells.grid().axes[d];
      const double scale = 1 / (axis.values.back() - axis.values.front());
      const double step = cells.centre(c, d) * scale - point[d] * scale;
      distance += step * step;
    }
    if (distance >= least) continue;
    least = distance;
    best = c;
  }
  return best;
}

TEST(NearestCell, is_the_one_that_looking_at_all_finds) {
  for (const std::size_t dimensions : {1U, 2U, 3U, 6U, 11U, 20U}) {
    for (const std::size_t visited : {1U, 8U, 9U, 40U, 700U}) {
      Random random({dimensions, Stage::task, visited, 0});
      Grid grid;
      for (std::size_t d = 0; d < dimensions; ++d) {
        grid.axes.push_back(even_edges(-1.0 - double(d), 2.0 + 3 * double(d), 11 + d));
      }
      std::vector<double> points(dimensions * visited);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const double low = -1.0 - double(i / visited), high = 2.0 + 3 * double(i / visited);
        points[i] = low + (high - low) * std::pow(random.uniform(), 2);
      }
      const Cells cells(grid, MatrixView<const double>(points.data(), dimensions, visited));
      const NearestCell nearest(cells);
      for (int round = 0; round < 400; ++round) {
        std::vector<double> point;
        for (std::size_t d = 0; d < dimensions; ++d) point.push_back(30 * random.uniform() - 12);
        const std::size_t before = allocation_count, found = nearest.find(point.data(), 1);
        ASSERT_EQ(allocation_count, before);
        ASSERT_EQ(found, brute_force(cells, point)) << dimensions << " " << visited;
      }
    }
  }
}

TEST(NearestCell, takes_the_first_of_equals_and_any_point) {
  const Grid grid{{even_edges(0, 16, 16), even_edges(0, 16, 16)}};
  std::vector<std::uint32_t> bins;
  for (std::uint32_t x = 0; x < 16; x += 2) {
    for (std::uint32_t y = 0; y < 16; y += 2) bins.insert(bins.end(), {x, y});
  }
  const Cells cells(grid, bins, std::vector<std::uint64_t>(bins.size() / 2, 1));
  const NearestCell nearest(cells);
  for (double x = 0.5; x < 16; ++x) {
    for (double y = 0.5; y < 16; ++y) {
      const std::vector<double> point{x, y};
      EXPECT_EQ(nearest.find(point.data(), 1), brute_force(cells, point)) << x << " " << y;
    }
  }
  for (const double odd : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    const std::vector<double> point{odd, 3};
    EXPECT_LT(nearest.find(point.data(), 1), cells.size());
  }
}

TEST(NearestCell, refuses_more_dimensions_than_an_embedding_has) {
  Grid grid;
  for (int d = 0; d < 65; ++d) grid.axes.push_back(even_edges(0, 1, 2));
  const Cells cells(grid, std::vector<std::uint32_t>(65, 1), {1});
  expect_error(ErrorCode::too_large, "65 dimensions", [&] { NearestCell{cells}; });
}

}  // namespace
}  // namespace mercer

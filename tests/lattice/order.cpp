#include <gtest/gtest.h>

#include "mercer/lattice.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

using Order = std::vector<std::size_t>;

// Cells (x, y) of a 3 x 3 grid, all visited; row 3 x + y.
Cells square() {
  const Grid grid{{even_edges(0, 3, 3), even_edges(0, 3, 3)}};
  std::vector<double> points(18);
  for (std::size_t i = 0; i < 9; ++i) {
    points[i] = 0.5 + static_cast<double>(i / 3);
    points[9 + i] = 0.5 + static_cast<double>(i % 3);
  }
  return {grid, MatrixView<const double>(points.data(), 2, 9)};
}

Order order_of(RowOrder order) {
  PolicyTable table{9, 2, {}};
  for (std::size_t r = 0; r < 9; ++r) {
    const double p = static_cast<double>(r * 4 % 9) / 9;  // 0 4 8 3 7 2 6 1 5 ninths
    table.pi.insert(table.pi.end(), {1 - p, p});
  }
  return order_rows(square(), table, {{even_edges(0, 1, 2)}}, order);
}

TEST(RowOrder, walks_through_the_grid) {
  EXPECT_EQ(order_of(RowOrder::lexicographic), (Order{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(order_of(RowOrder::snake), (Order{0, 1, 2, 5, 4, 3, 6, 7, 8}));
  EXPECT_EQ(order_of(RowOrder::tour), (Order{0, 1, 2, 5, 4, 3, 6, 7, 8}));
}

TEST(RowOrder, sorts_by_the_mean_action) {
  EXPECT_EQ(order_of(RowOrder::mean_action), (Order{0, 7, 5, 3, 1, 8, 6, 4, 2}));
}

TEST(RowOrder, has_names) {
  EXPECT_EQ(parse<RowOrder>("mean-action"), RowOrder::mean_action);
  EXPECT_EQ(parse<RowOrder>("tour"), RowOrder::tour);
  expect_error(ErrorCode::unknown_name, "Did you mean 'snake'?", [] { parse<RowOrder>("snak"); });
}

}  // namespace
}  // namespace mercer

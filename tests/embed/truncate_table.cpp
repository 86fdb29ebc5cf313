#include "embed/lattice/truncate_table.hpp"

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Cells (0, 0), (0, 3) and (2, 1) of a grid of 3 x 4, and two actions.
struct SmallLattice {
  Grid grid{{even_edges(0, 3, 3), even_edges(0, 4, 4)}};
  Cells cells{grid, std::vector<std::uint32_t>{0, 0, 0, 3, 2, 1}, {1, 1, 1}};
  Grid actions{{even_edges(-1, 1, 2)}};
  PolicyTable rows{3, 2, {1, 0, 0.5, 0.5, 0.25, 0.75}};
};

TEST(TableLayout, as_a_list_keeps_the_order) {
  const SmallLattice small;
  const TableLayout layout = list_layout({2, 0, 1}, 2);
  EXPECT_FALSE(layout.has_gaps());
  const Table table = spread(small.rows, layout);
  EXPECT_EQ(table.shape, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(table.values, (std::vector<double>{0.25, 0.75, 1, 0, 0.5, 0.5}));
  EXPECT_EQ(gather(table.values, layout), small.rows.pi);
}

// The twin: every place takes the row that the fewest steps along axes lead to.
TEST(TableLayout, on_axes_fills_gaps_with_the_nearest_row) {
  const SmallLattice small;
  const TableLayout layout = axes_layout(small.cells, small.actions);
  EXPECT_TRUE(layout.has_gaps());
  EXPECT_EQ(layout.shape, (std::vector<std::size_t>{3, 4, 2}));
  EXPECT_EQ(layout.places, (std::vector<std::size_t>{0, 3, 9}));
  const Table table = spread(small.rows, layout);
  ASSERT_EQ(table.values.size(), 24);
  EXPECT_EQ(gather(table.values, layout), small.rows.pi);
  for (std::size_t place = 0; place < 12; ++place) {
    const auto steps = [&](std::size_t row) {
      const std::size_t other = layout.places[row];
      return std::abs(static_cast<int>(place / 4) - static_cast<int>(other / 4)) +
             std::abs(static_cast<int>(place % 4) - static_cast<int>(other % 4));
    };
    const int least = std::min({steps(0), steps(1), steps(2)});
    bool found = false;
    for (std::size_t row = 0; row < 3; ++row) {
      found = found || (steps(row) == least && table.values[place * 2] == small.rows.row(row)[0]);
    }
    EXPECT_TRUE(found) << place;
  }
}

TEST(TableLayout, refuses_lattices_that_are_too_large) {
  const SmallLattice small;
  expect_error(ErrorCode::too_large, "the whole lattice, 1.2e+08 entries on 3 axes; legal: up to 2.5e+07 on 8",
               [&] { axes_layout(small.cells, {{even_edges(-1, 1, 10'000'000)}}); });
}

}  // namespace
}  // namespace mercer

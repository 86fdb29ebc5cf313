#include <gtest/gtest.h>

#include "mercer/embed.hpp"
#include "mercer/statistics.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

Lattice lattice_of(Grid actions, PolicyTable table) {
  const Grid grid{{even_edges(0, 2, 2)}};
  return {std::make_shared<Cells>(grid, std::vector<std::uint32_t>{0, 1}, std::vector<std::uint64_t>{1, 3}),
          std::move(actions),
          {},
          std::move(table)};
}

TEST(LatticeDistance, of_one_action_dimension_is_exact_and_weighted_by_visits) {
  const PolicyTable p{2, 3, {0.2, 0.5, 0.3, 1, 0, 0}}, q{2, 3, {0.1, 0.1, 0.8, 0.5, 0.25, 0.25}};
  const Lattice lattice = lattice_of({{even_edges(-3, 3, 3)}}, p);
  const LatticeDistance found = lattice_distance(lattice, q);
  const std::vector<double> atoms{-2, 0, 2}, visits{1, 3};
  const TableDistance expected = table_distance(p.pi, q.pi, atoms, visits);
  EXPECT_EQ(found.w1_kind, W1Kind::exact);
  EXPECT_NEAR(found.w1, expected.w1, 1e-15);
  EXPECT_NEAR(found.tv, expected.tv, 1e-15);
}

// A point that moves by (1, 3): the distance is sqrt(10) and its largest marginal 3.
TEST(LatticeDistance, of_several_action_dimensions_is_the_largest_marginal) {
  const Grid actions{{even_edges(-0.5, 1.5, 2), even_edges(-0.5, 3.5, 4)}};
  PolicyTable p{2, 8, std::vector<double>(16)}, q = p;
  p.pi[0] = p.pi[8] = 1;
  q.pi[7] = q.pi[8] = 1;
  const LatticeDistance found = lattice_distance(lattice_of(actions, p), q);
  EXPECT_EQ(found.w1_kind, W1Kind::marginal);
  EXPECT_NEAR(found.w1, 3.0 / 4, 1e-15) << "one row of four visits";
  EXPECT_NEAR(found.tv, 1.0 / 4, 1e-15);
}

TEST(LatticeDistance, is_taken_between_the_row_s_own_bins) {
  const PolicyTable p{2, 2, {1, 0, 1, 0}}, q{2, 2, {0, 1, 1, 0}};
  Lattice lattice = lattice_of({{even_edges(-1, 1, 2)}}, p);
  lattice.own = {{0, OwnEdges::none}, {{{even_edges(-8, 8, 2)}}}};
  EXPECT_NEAR(lattice_distance(lattice, q).w1, 8.0 / 4, 1e-15);
  expect_error(ErrorCode::shape_mismatch, "tables of 2 x 2 and 1 x 2", [&] {
    lattice_distance(lattice, {1, 2, {1, 0}});
  });
}

}  // namespace
}  // namespace mercer

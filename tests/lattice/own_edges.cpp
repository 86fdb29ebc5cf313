#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/lattice.hpp"
#include "mercer/policy.hpp"
#include "mercer/random.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Three cells: 200 actions around -1, 3 actions, 200 around 1.
struct ThreeCells {
  ThreeCells() {
    Random random({5, Stage::task, 0, 0});
    const auto play = [&](double state, double centre, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        rollouts.observations.push_back(state);
        rollouts.actions.push_back(centre + 0.5 * (random.uniform() - 0.5));
      }
    };
    play(-0.9, -1, 200);
    play(0, 0, 3);
    play(0.9, 1, 200);
    rollouts.offsets = {0, static_cast<std::int64_t>(rollouts.actions.size())};
    rollouts.rewards.assign(rollouts.actions.size(), 0);
  }
  std::vector<double> played(std::size_t cell) const {
    std::vector<double> actions;
    for (std::size_t t = 0; t < rollouts.steps(); ++t) {
      if (cells().find(&rollouts.observations[t]) == cell) actions.push_back(rollouts.actions[t]);
    }
    return actions;
  }
  Cells cells() const {
    return {Grid{{even_edges(-1, 1, 3)}},
            MatrixView<const double>(rollouts.observations.data(), 1, rollouts.observations.size())};
  }

  Rollouts rollouts;
  Grid common{{even_edges(-2, 2, 5)}};
};

TEST(OwnEdges, are_those_of_the_actions_played_in_the_cell) {
  const ThreeCells three;
  for (const char* const name : {"quantile", "data-quantile", "uniform", "kmeans", "tempered"}) {
    const EdgeRule rule = parse_edge_rule(name);
    const OwnEdges own = make_own_edges(three.rollouts, three.cells(), three.common, rule, false);
    ASSERT_EQ(own.grids.size(), 2) << name;
    EXPECT_EQ(own.places[1], OwnEdges::none) << "three actions do not make five bins";
    EXPECT_EQ(own.numbers(), 12);
    for (const std::size_t cell : {0, 2}) {
      const Edges expected = make_edges(three.played(cell), 5, rule);
      const Edges& found = own.of(cell, three.common).axes[0];
      ASSERT_EQ(found.bins(), 5);
      for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(found.values[i], static_cast<float>(expected.values[i])) << name;
    }
    EXPECT_EQ(&own.of(1, three.common), &three.common);
    EXPECT_EQ(&own.of(Cells::none, three.common), &three.common);
  }
}

TEST(OwnEdges, reach_as_far_as_the_common_ones_when_told) {
  const ThreeCells three;
  const OwnEdges own = make_own_edges(three.rollouts, three.cells(), three.common, {EdgeKind::quantile}, true);
  for (const Grid& grid : own.grids) {
    EXPECT_EQ(grid.axes[0].values.front(), -2);
    EXPECT_EQ(grid.axes[0].values.back(), 2);
  }
}

// u ~ Normal(2 x, 0.5), action = 2 tanh(u).
TEST(OwnEdges, tables_have_the_mass_of_each_row_s_own_bins) {
  const ThreeCells three;
  const Cells cells = three.cells();
  const GaussianPolicy policy("g", squashed_contract(1, 1), [](MatrixView<const double> in, MatrixView<double> out) {
    for (std::size_t i = 0; i < in.cols(); ++i) {
      out(0, i) = 2 * in(0, i);
      out(1, i) = std::log(0.5);
    }
  });
  const OwnEdges own = make_own_edges(three.rollouts, cells, three.common, {EdgeKind::quantile}, false);
  const PolicyTable table = tabulate(policy, cells, three.common, TableRule::mass, own);
  for (std::size_t r = 0; r < 3; ++r) {
    const std::vector<double>& edges = own.of(r, three.common).axes[0].values;
    const auto below = [&](std::size_t edge) {
      if (edge == 0 || edge == 5) return edge == 0 ? 0.0 : 1.0;
      return 0.5 * std::erfc(-(std::atanh(edges[edge] / 2) - 2 * cells.centre(r, 0)) / 0.5 / std::numbers::sqrt2);
    };
    for (std::size_t a = 0; a < 5; ++a) EXPECT_NEAR(table.row(r)[a], below(a + 1) - below(a), 1e-14) << r << ' ' << a;
  }
  const PolicyTable counts = count_actions(three.rollouts, cells, three.common, own);
  for (const std::size_t r : {0, 2}) {
    for (const double share : counts.row(r)) EXPECT_NEAR(share, 0.2, 0.01) << "quantiles of what was played";
  }
}

TEST(OwnEdges, that_do_not_fit_are_refused) {
  const ThreeCells three;
  OwnEdges own = make_own_edges(three.rollouts, three.cells(), three.common, {}, false);
  expect_error(ErrorCode::shape_mismatch, "4 rows with 3 places", [&] { own.check(4, three.common); });
  expect_error(ErrorCode::shape_mismatch, "as many bins", [&] { own.check(3, {{even_edges(-2, 2, 4)}}); });
  own.places[1] = 2;
  expect_error(ErrorCode::shape_mismatch, "among 2 grids", [&] { own.check(3, three.common); });
  Rollouts short_one = three.rollouts;
  short_one.actions.pop_back();
  expect_error(ErrorCode::shape_mismatch, "Keep the steps",
               [&] { make_own_edges(short_one, three.cells(), three.common, {}, false); });
}

}  // namespace
}  // namespace mercer

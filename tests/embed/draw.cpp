#include "embed/lattice/draw.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "mercer/embedding.hpp"
#include "support/density.hpp"
#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

constexpr std::size_t actions = 23;

// Three rows: uneven with zeros among it, a single atom, nearly even. The first is visited most.
PolicyTable rows() {
  PolicyTable table{3, actions, std::vector<double>(3 * actions)};
  Random random({1, Stage::task, 0, 0});
  for (std::size_t a = 0; a < actions; ++a) {
    table.row(0)[a] = a % 4 == 1 ? 0 : std::pow(random.uniform(), 4);
    table.row(1)[a] = a == 17 ? 1 : 0;
    table.row(2)[a] = 1 + 0.1 * random.uniform();
  }
  project_rows({table.pi.data(), table.rows, table.cols});
  return table;
}

// Rows that are read one by one, as an evaluator gives them.
class PlainRows final : public RowEvaluator {
 public:
  void row(std::size_t row, std::span<double> out) const override { std::ranges::copy(table_.row(row), out.begin()); }
  double entry(std::size_t row, std::size_t column) const override { return table_.row(row)[column]; }

 private:
  PolicyTable table_ = rows();
};

LatticePolicy policy(const Acting& acting) {
  const Grid grid{{even_edges(0, 3, 3)}};
  const std::vector<std::uint32_t> bins{0, 1, 2};
  auto cells = std::make_shared<Cells>(grid, bins, std::vector<std::uint64_t>{8, 1, 3});
  Contract contract = squashed_contract(1, 1);
  contract.squash = Squash::none;
  const Grid action_grid{{even_edges(-2, 2, actions)}};
  if (acting.from == RowsFrom::decoded) return {"l", contract, cells, action_grid, rows(), {}, {}, acting};
  return {"l", contract, cells, action_grid, CoefficientTable{std::make_shared<PlainRows>(), actions, {0, 1, 2}},
          {},  {},       acting};
}

std::vector<double> counts(const LatticePolicy& policy, std::size_t row, std::size_t draws) {
  std::vector<double> out(actions);
  for (std::size_t i = 0; i < draws; ++i) {
    Random random({2, Stage::action, i, 0});
    ++out[policy.draw_cell(row, random)];
  }
  return out;
}

TEST(Draw, inverse_and_alias_draw_from_the_row) {
  const PolicyTable table = rows();
  for (const Acting& acting : {Acting{}, Acting{.draw = DrawRule::alias}, Acting{.from = RowsFrom::coefficients}}) {
    const LatticePolicy drawn = policy(acting);
    for (const std::size_t row : {0U, 2U}) {
      const ChiSquare found(counts(drawn, row, 200'000), table.row(row));
      EXPECT_LT(found.value, found.limit());
    }
    EXPECT_EQ(counts(drawn, 1, 100)[17], 100);
  }
}

// The chance of an entry under importance sampling tends to the row's with the number of proposals.
TEST(Draw, importance_draws_from_the_row_as_proposals_grow) {
  const PolicyTable table = rows();
  for (const Proposal proposal : {Proposal::marginal, Proposal::uniform}) {
    for (const RowsFrom from : {RowsFrom::decoded, RowsFrom::coefficients}) {
      double before = 1;
      for (const std::size_t proposals : {2U, 16U, 128U}) {
        const std::vector<double> met =
            counts(policy({.from = from, .draw = DrawRule::importance, .proposals = proposals, .proposal = proposal}),
                   0, 50'000);
        double distance = 0;
        for (std::size_t a = 0; a < actions; ++a) distance += std::abs(met[a] / 50'000 - table.row(0)[a]) / 2;
        std::cout << proposals << " proposals: total variation " << distance << '\n';
        EXPECT_LT(distance, std::max(0.7 * before, 0.006)) << "below that draws are too few to tell";
        before = distance;
      }
      EXPECT_LT(before, 0.015);
      const ChiSquare found(
          counts(policy({.from = from, .draw = DrawRule::importance, .proposals = 1024, .proposal = proposal}), 0,
                 5'000),
          table.row(0));
      EXPECT_LT(found.value, found.limit());
    }
  }
  const LatticePolicy few = policy({.draw = DrawRule::importance, .proposals = 1, .proposal = Proposal::uniform});
  EXPECT_EQ(counts(few, 1, 300)[17], 300) << "where no proposal has weight it is drawn from the row";
}

TEST(Draw, alias_tables_hold_any_row) {
  Random random({3, Stage::task, 0, 0});
  for (const std::size_t columns : {1U, 2U, 7U, 64U, 1000U}) {
    std::vector<double> row(columns);
    for (double& value : row) value = std::pow(random.uniform(), 6);
    project_row(row);
    const AliasTable alias(row, columns);
    std::vector<double> met(columns);
    constexpr std::size_t steps = 1 << 20;  // every u on a lattice: what is drawn is its share up to a step a place
    for (std::size_t i = 0; i < steps; ++i) met[alias.draw(0, (static_cast<double>(i) + 0.5) / steps)] += 1.0 / steps;
    for (std::size_t c = 0; c < columns; ++c) EXPECT_NEAR(met[c], row[c], 2.0 * double(columns) / steps) << c;
  }
}

}  // namespace
}  // namespace mercer

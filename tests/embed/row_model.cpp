#include "embed/lattice/row_model.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/even_edges.hpp"

namespace mercer {
namespace {

// Two cells, two action dimensions of 2 and 3 bins.
LatticeCode two_dimensions(std::size_t k) {
  LatticeCode code;
  code.states = {{even_edges(0, 2, 2)}};
  code.bins = {0, 1};
  code.actions = {{even_edges(-1, 1, 2), even_edges(-1, 1, 3)}};
  code.k = k;
  return code;
}

const PolicyTable table{2, 6, {0.1, 0.2, 0.3, 0.4, 0, 0, 0, 0, 0, 0, 0, 1}};

TEST(RowModel, has_names) {
  for (const char* const name : {"gmm", "fixed-gmm", "mle", "gmm:iterations=7"}) {
    EXPECT_TRUE(BasisSpec(name).row_by_row()) << name;
    EXPECT_EQ(to_text(BasisSpec(name)), name);
  }
  EXPECT_FALSE(BasisSpec("svd").row_by_row());
  expect_error(ErrorCode::unknown_name, "has no settings", [] { BasisSpec("mle:iterations=3"); });
  EXPECT_EQ(usual_k(BasisFamily::gmm, 2), 2);
}

TEST(RowModel, of_several_action_dimensions_is_drawn_but_not_mixed) {
  LatticeCode code = two_dimensions(100'000);
  code.basis = "mle";
  keep_rows(table, 3, code);
  const auto rows = model_rows(code, "code");
  for (std::size_t r = 0; r < 2; ++r) {
    std::vector<double> row(6, -1);
    rows->row(r, row);
    for (std::size_t c = 0; c < 6; ++c) {
      EXPECT_NEAR(row[c], table.row(r)[c], 0.01);
      EXPECT_EQ(rows->entry(r, c), row[c]);
    }
  }
  EXPECT_EQ(code.numbers.size(), 5) << "bins that were drawn";
  code = two_dimensions(1);
  code.basis = "gmm";
  expect_error(ErrorCode::bad_value, "basis 'gmm' for actions of 2 dimensions; legal: 1",
               [&] { keep_rows(table, 3, code); });
}

TEST(RowModel, gives_masses_of_bins_one_by_one_too) {
  LatticeCode code = two_dimensions(2);
  code.actions.axes.erase(code.actions.axes.begin());
  code.own = {{OwnEdges::none, 0}, {{{even_edges(-3, 3, 3)}}}};
  code.numbers = {0.25F, -1, 0.5F, 0.5F, 0.75F, 0.5F, 0, 1, 1, 2};
  code.basis = "gmm";
  const auto rows = model_rows(code, "code");
  std::vector<double> row(3);
  for (std::size_t r = 0; r < 2; ++r) {
    rows->row(r, row);
    EXPECT_NEAR(row[0] + row[1] + row[2], 1, 1e-15);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(rows->entry(r, c), row[c], 1e-15);
  }
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); };
  EXPECT_NEAR(row[0], 0.5 * below(-1) + 0.5 * below(-1), 1e-7) << "its own edges, -1 and 1 in the middle";
}

TEST(RowModel, refuses_numbers_that_do_not_fit) {
  LatticeCode code = two_dimensions(1);
  code.actions.axes.pop_back();
  code.numbers = {0.5F, 0.1F, 0.5F, -0.1F};
  code.basis = "gmm";
  expect_error(ErrorCode::corrupt_file, "a mixture with a negative weight", [&] { model_rows(code, "code"); });
  code.numbers.pop_back();
  expect_error(ErrorCode::corrupt_file, "do not fit", [&] { model_rows(code, "code"); });
  code.kept = {7};
  code.numbers = {1};
  code.basis = "mle";
  expect_error(ErrorCode::corrupt_file, "draws that do not fit", [&] { model_rows(code, "code"); });
}

}  // namespace
}  // namespace mercer

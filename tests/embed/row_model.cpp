#include "embed/row_model.hpp"

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
    ASSERT_TRUE(parse_row_model(name)) << name;
    EXPECT_EQ(parse_row_model(name)->name(), name);
  }
  EXPECT_FALSE(parse_row_model("svd"));
  expect_error(ErrorCode::unknown_name, "has no settings", [] { parse_row_model("mle:iterations=3"); });
  EXPECT_EQ(parse_row_model("gmm")->usual_k(2), 2);
}

TEST(RowModel, of_several_action_dimensions_is_drawn_but_not_mixed) {
  LatticeCode code = two_dimensions(100'000);
  const RowModel draws = *parse_row_model("mle");
  keep_rows(draws, table, 3, code);
  const std::vector<double> rows = rows_from(draws, code, "code");
  for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(rows[i], table.pi[i], 0.01);
  EXPECT_EQ(code.numbers.size(), 5) << "bins that were drawn";
  code = two_dimensions(1);
  expect_error(ErrorCode::bad_value, "basis 'gmm' for actions of 2 dimensions; legal: 1",
               [&] { keep_rows(*parse_row_model("gmm"), table, 3, code); });
}

TEST(RowModel, refuses_numbers_that_do_not_fit) {
  LatticeCode code = two_dimensions(1);
  code.actions.axes.pop_back();
  code.numbers = {0.5F, 0.1F, 0.5F, -0.1F};
  expect_error(ErrorCode::corrupt_file, "a mixture that is none",
               [&] { rows_from(*parse_row_model("gmm"), code, "code"); });
  code.numbers.pop_back();
  expect_error(ErrorCode::corrupt_file, "do not fit", [&] { rows_from(*parse_row_model("gmm"), code, "code"); });
  code.kept = {7};
  code.numbers = {1};
  expect_error(ErrorCode::corrupt_file, "draws that do not fit",
               [&] { rows_from(*parse_row_model("mle"), code, "code"); });
}

}  // namespace
}  // namespace mercer

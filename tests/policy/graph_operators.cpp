#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "support/graph_case.hpp"

namespace mercer {
namespace {

std::vector<GraphCase> all_cases() {
  std::vector<GraphCase> all;
  for (const auto make : {graph_broadcast_cases, graph_elementwise_cases, graph_linear_cases, graph_reduction_cases,
                          graph_selection_cases, graph_shape_cases}) {
    for (GraphCase& made : make()) all.push_back(std::move(made));
  }
  return all;
}

class GraphOperators : public testing::TestWithParam<GraphCase> {};

TEST_P(GraphOperators, does_to_a_batch_what_plain_doubles_do_to_a_column) {
  const GraphCase& test = GetParam();
  const Network network = test.model.network();
  constexpr std::size_t columns = 150;  // several full tiles and a part of one
  const Numbers in = random_numbers(input_rows(network) * columns, test.low, test.high, 7);
  const Numbers out = run_network(network, in, columns);
  for (std::size_t c = 0; c < columns; ++c) {
    const Numbers want = test.reference(column_of(in, columns, c)), got = column_of(out, columns, c);
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      // Single precision keeps 6e-8 of every number; the rest is for what cancels and for approximated functions.
      ASSERT_NEAR(got[i], want[i], 2e-6 + 1e-5 * std::abs(want[i])) << "number " << i << " of column " << c;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, GraphOperators, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.op + "_" + test.param.use; });

TEST(GraphOperatorCases, there_is_one_for_every_operator) {
  std::set<std::string> tested;
  for (const GraphCase& test : all_cases()) {
    EXPECT_TRUE(std::ranges::any_of(test.model.proto.graph().node(),
                                    [&](const auto& node) { return node.op_type() == test.op; }))
        << test.op << "_" << test.use << " does not use its operator";
    tested.insert(test.op);
  }
  const std::vector<std::string> known = known_onnx_operators();
  EXPECT_EQ(std::vector<std::string>(tested.begin(), tested.end()), known);
  EXPECT_TRUE(std::ranges::is_sorted(known));
}

}  // namespace
}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "mercer/policy.hpp"
#include "support/allocation_count.hpp"
#include "support/graph_case.hpp"

namespace mercer {
namespace {

// Layers of many widths, so that products meet full and partial blocks, and every kind of operation between them.
OnnxModel deep_model() {
  OnnxModel model;
  model.input("x", {5});
  std::string last = "x";
  std::int64_t width = 5;
  const std::vector<std::pair<std::int64_t, std::string>> layers{
      {64, "Tanh"}, {33, "Relu"}, {1, "Softplus"}, {256, "Elu"}, {17, "Sigmoid"}, {400, "Sin"}, {12, "Erf"}};
  for (const auto& [outputs, op] : layers) {
    const std::string name = fmt::format("layer{}", outputs);
    const auto count = static_cast<std::size_t>(width * outputs);
    model.weights(name, {outputs, width}, random_numbers(count, -0.3, 0.3, static_cast<unsigned>(count)));
    model.weights(name + "_bias", {outputs}, random_numbers(static_cast<std::size_t>(outputs), -1, 1, 2));
    model.node("Gemm", {last, name, name + "_bias"}, {name + "_sum"}, {{"transB", 1}});
    model.node(op, {name + "_sum"}, {name + "_out"});
    last = name + "_out";
    width = outputs;
  }
  model.weights("scale", {12}, random_numbers(12, 0.5, 1.5, 3));
  model.node("LayerNormalization", {last, "scale"}, {"normal"}).node("Softmax", {"normal"}, {"softmax"});
  model.node("Exp", {"normal"}, {"exp"}).node("Pow", {"exp", "normal"}, {"pow"}).node("Log", {"exp"}, {"log"});
  model.node("Concat", {"softmax", "pow", "log"}, {"y"}, {{"axis", -1}}).output("y");
  return model;
}

bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(GraphBatches, a_column_does_not_depend_on_those_beside_it) {
  const Network network = deep_model().network();
  const Numbers column = random_numbers(5, -2, 2, 1);
  const Numbers alone = run_network(network, column, 1);
  constexpr std::size_t stride = 5;  // has no factor in common with a tile: passes every place in one
  for (const std::size_t columns : {1, 2, 7, 15, 16, 17, 47, 48, 49, 300, 4096}) {
    for (std::size_t first = 0; first < std::min(stride, columns); ++first) {
      Numbers in = random_numbers(5 * columns, -2, 2, static_cast<unsigned>(first));
      for (std::size_t place = first; place < columns; place += stride) {
        for (std::size_t r = 0; r < 5; ++r) in[r * columns + place] = column[r];
      }
      const Numbers out = run_network(network, in, columns);
      for (std::size_t place = first; place < columns; place += stride) {
        ASSERT_TRUE(same_bits(column_of(out, columns, place), alone)) << "column " << place << " of " << columns;
      }
    }
  }
}

TEST(GraphBatches, a_column_beside_infinities_is_the_same) {
  const Network network = deep_model().network();
  const Numbers column = random_numbers(5, -2, 2, 1);
  const Numbers alone = run_network(network, column, 1);
  Numbers in(5 * 7, HUGE_VAL);
  for (std::size_t r = 0; r < 5; ++r) in[r * 7 + 3] = column[r];
  EXPECT_TRUE(same_bits(column_of(run_network(network, in, 7), 7, 3), alone));
}

std::size_t allocations_of_second_call(const Network& network, std::size_t columns) {
  const Numbers in = random_numbers(network.inputs()[0].size * columns, -2, 2, 1);
  Numbers out(network.outputs()[0].size * columns);
  const MatrixView<const double> from(in.data(), network.inputs()[0].size, columns);
  const MatrixView<double> to(out.data(), network.outputs()[0].size, columns);
  network.evaluate({&from, 1}, {&to, 1});
  const std::size_t before = allocation_count;
  network.evaluate({&from, 1}, {&to, 1});
  return allocation_count - before;
}

TEST(GraphBatches, nothing_is_allocated_after_the_first_call) {
  const std::size_t before = allocation_count;
  const Numbers seen(100);
  ASSERT_EQ(allocation_count - before, 1);  // the count counts
  const Network network = deep_model().network();
  EXPECT_EQ(allocations_of_second_call(network, 1), 0);
  EXPECT_EQ(allocations_of_second_call(network, 200), 0);
}

TEST(GraphBatches, nothing_is_allocated_for_wide_layers) {
  for (const std::int64_t width : {256, 400, 1024}) {
    const auto count = static_cast<std::size_t>(width * width);
    OnnxModel model;
    model.input("x", {width}).weights("w", {width, width}, random_numbers(count, -0.1, 0.1, 1));
    model.node("MatMul", {"x", "w"}, {"y"}).output("y");
    EXPECT_EQ(allocations_of_second_call(model.network(), 1), 0) << width;
  }
}

TEST(GraphBatches, threads_share_a_network) {
  const Network network = deep_model().network();
  constexpr std::size_t columns = 200;
  const Numbers in = random_numbers(5 * columns, -2, 2, 1);
  const Numbers want = run_network(network, in, columns);
  int wrong[2] = {};
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) {
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i) count += same_bits(run_network(network, in, columns), want) ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(wrong[0] + wrong[1], 0);
}

// One network after the other in a thread: the second needs more memory, the third less.
TEST(GraphBatches, networks_of_different_sizes_take_turns) {
  const Network large = deep_model().network();
  const Network small = OnnxModel().input("x", {2}).node("Neg", {"x"}, {"y"}).output("y").network();
  const Numbers in = random_numbers(5, -2, 2, 1);
  const Numbers first = run_network(large, in, 1);
  EXPECT_EQ(run_network(small, {1, 2}, 1), (Numbers{-1, -2}));
  EXPECT_TRUE(same_bits(run_network(large, in, 1), first));
  EXPECT_TRUE(run_network(small, {}, 0).empty());
}

TEST(GraphBatches, outputs_may_be_left_out_and_inputs_be_views) {
  OnnxModel model;
  model.input("x", {2}).node("Neg", {"x"}, {"y"}).node("Abs", {"x"}, {"z"}).output("y").output("z");
  const Network network = model.network();
  EXPECT_EQ(network.find_output("z"), 1);
  EXPECT_EQ(network.find_output("x"), 2);
  const Numbers in{9, 1, 9, 9, -2, 9};
  Numbers out(2);
  const MatrixView<const double> from(in.data() + 1, 2, 1, 3);
  const MatrixView<double> to[2] = {{}, {out.data(), 2, 1}};
  network.evaluate({&from, 1}, to);
  EXPECT_EQ(out, (Numbers{1, 2}));
}

}  // namespace
}  // namespace mercer

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/graph_case.hpp"
#include "support/refused.hpp"

// Small files that ask for much: sizes that overflow, constants that grow, numbers that are not known. Memory and time
// stay in proportion to the file; without its limits each of these would run for minutes or out of memory.

namespace mercer {
namespace {

constexpr std::int64_t gigantic = std::int64_t{1} << 62;

OnnxModel one() { return OnnxModel().input("x", {1}); }

TEST(GraphLimits, tensors_whose_size_is_wrong) {
  const auto with = [](const OnnxDims& dims, const std::vector<double>& values) {
    return one().weights("w", dims, values);
  };
  refused(with({3}, {1, 2}), "tensor 'w' announces an axis of 3 and holds 2 numbers");
  refused(with({2}, {1, 2, 3}), "tensor 'w' announces 2 numbers in 1 axes and holds 3");
  refused(with({-1}, {1}), "announces an axis of -1");
  refused(with({gigantic, 4}, {1}), "announces an axis of 4611686018427387904");
  refused(with({4, gigantic}, {1, 2, 3, 4}), "announces an axis of 4611686018427387904");  // 2^64 is 0 in 64 bits
  refused(with({1, 1, 1, 1, 1, 1, 1, 1, 1}, {1}), "announces 1 numbers in 9 axes");
  refused(with({0, gigantic}, {}), "makes a value of 2 axes, one of size 4611686018427387904");
  OnnxModel torn = one();
  onnx::TensorProto tensor = float_tensor("w", {2}, {});
  tensor.set_raw_data("12345");  // one number and a quarter
  refused(torn.weights(tensor), "announces an axis of 2 and holds 1");
}

TEST(GraphLimits, weights_elsewhere_or_of_other_kinds) {
  onnx::TensorProto tensor = float_tensor("w", {1}, {1});
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  refused(one().weights(tensor), "tensor 'w' is kept in another file");
  tensor = float_tensor("w", {1}, {1});
  tensor.set_data_type(onnx::TensorProto::STRING);
  refused(one().weights(tensor), "have type 8 (STRING)");
  tensor.set_data_type(1234);
  refused(one().weights(tensor), "have type 1234 (unknown)");
}

TEST(GraphLimits, empty_constants_are_harmless) {
  OnnxModel model = one().weights("none", {0}, {}).integers("start", {-1}).integers("end", {-9}).integers("step", {-1});
  model.integers("first", {0});
  model.node("Slice", {"none", "start", "end", "first", "step"}, {"still_none"});
  model.node("Concat", {"none", "still_none"}, {"joined"}, {{"axis", 0}});
  EXPECT_EQ(OnnxModel(model).output("x").network().outputs()[0].size, 1);
  refused(OnnxModel(model).output("joined"), "makes 0 numbers for each state");
  refused(OnnxModel(model).node("Add", {"x", "joined"}, {"y"}), "makes 0 numbers for each state");
  // Joining along the other axis must not count to 2^26 for every node.
  OnnxModel wide = one().weights("none", {0, 1 << 26}, {}).node("Transpose", {"none"}, {"turned"});
  refused(wide.node("Concat", {"turned", "turned"}, {"y"}, {{"axis", 1}}), "is one too many");
}

TEST(GraphLimits, constants_do_not_grow_without_bound) {
  const std::vector<double> row(3000, 1.0);
  OnnxModel outer = one().weights("a", {3000, 1}, row).weights("b", {1, 3000}, row);
  refused(outer.node("Add", {"a", "b"}, {"y"}), "makes more than 4194304 numbers");
  OnnxModel gathered = one().weights("a", {3000, 1}, row).weights("b", {1, 1000}, std::vector<double>(1000, 1.0));
  gathered.node("Mul", {"a", "b"}, {"grid"}).integers("at", OnnxDims(3000, 0));
  refused(gathered.node("Gather", {"grid", "at"}, {"y"}, {{"axis", 1}}), "makes more than 4194304 numbers");
  OnnxModel doubled = one().weights("c0", {1000}, std::vector<double>(1000, 1.0));
  for (int i = 0; i < 40; ++i) {
    const std::string from = fmt::format("c{}", i);
    doubled.node("Concat", {from, from}, {fmt::format("c{}", i + 1)}, {{"axis", 0}});
  }
  refused(doubled, "is one too many");
}

TEST(GraphLimits, work_stays_in_proportion_to_the_file) {
  OnnxModel sums = OnnxModel().input("x", {1'000'000});
  for (int i = 0; i < 1000; ++i) sums.node("ReduceSum", {"x"}, {fmt::format("s{}", i)}, {{"axes", OnnxDims{1}}});
  refused(sums, "is one too many: the network handles");
  OnnxModel copies = one().weights("c", {1000}, std::vector<double>(1000, 1.0));
  std::vector<std::string> parts(100'000, "c");
  refused(copies.node("Concat", parts, {"y"}, {{"axis", 0}}), "is one too many");
  OnnxModel product = OnnxModel().input("x", {500, 500}).weights("a", {500, 1}, std::vector<double>(500, 1.0));
  product.weights("b", {500}, std::vector<double>(500, 1.0)).node("Add", {"a", "b"}, {"w"});
  refused(product.node("MatMul", {"x", "w"}, {"y"}), "is one too many");
  OnnxModel grown = OnnxModel().input("x", {1000, 1}).weights("b", {1000}, std::vector<double>(1000, 1.0));
  grown.node("Add", {"x", "b"}, {"a"}).node("Add", {"a", "b"}, {"y"});
  refused(grown, "makes 1000000 numbers for each state; legal: 1 to 1048576 in the whole network");
}

TEST(GraphLimits, axes_do_not_grow_without_bound) {
  OnnxModel model = one().integers("at", {1, 2, 3, 4}).node("Unsqueeze", {"x", "at"}, {"a"});
  refused(model.node("Unsqueeze", {"a", "at"}, {"y"}), "makes a value of 9 axes");
  refused(one().integers("to", OnnxDims(100'000, 1)).node("Reshape", {"x", "to"}, {"y"}),
          "makes a value of 99999 axes");
  const OnnxDims often(100'000, 0);
  refused(one()
              .weights("c", {4}, {1, 2, 3, 4})
              .node("Slice", {"c"}, {"y"}, {{"starts", often}, {"ends", often}, {"axes", often}}),
          "slices an axis twice");
}

// Quadratic in the number of inputs, this would take minutes.
TEST(GraphLimits, an_extreme_of_many_values) {
  OnnxModel model = one().weights("c", {}, {2});
  std::vector<std::string> inputs(20'000, "c");
  inputs.push_back("x");
  EXPECT_EQ(run_network(model.node("Max", inputs, {"y"}).output("y").network(), {1, 3}, 2), (Numbers{2, 3}));
}

TEST(GraphLimits, the_size_of_the_batch_is_not_a_number_to_compute_with) {
  const auto batch = [] {
    OnnxModel model = one().integers("zero", {0}).weights("c", {1}, {5}).weights("w", {1, 1}, {5});
    return model.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"n"});
  };
  const std::string part = "computes with a number that is not known";
  refused(batch().node("Mul", {"x", "n"}, {"y"}), part);
  refused(batch().node("Max", {"n", "c"}, {"m"}).node("Add", {"x", "m"}, {"y"}), part);
  refused(batch().node("Relu", {"n"}, {"m"}).node("Add", {"m", "x"}, {"y"}), part);
  refused(batch().node("Cast", {"n"}, {"m"}, {{"to", 9}}).node("Add", {"m", "x"}, {"y"}), part);
  refused(batch().node("Concat", {"x", "n"}, {"y"}, {{"axis", 1}}), part);
  refused(batch().node("Clip", {"x", "n"}, {"y"}), part);
  refused(batch().node("Gemm", {"x", "w", "n"}, {"y"}), part);
  refused(batch().node("LayerNormalization", {"x", "n"}, {"y"}), part);
  refused(batch().output("n"), part);
  refused(batch().node("Gather", {"c", "n"}, {"y"}), "needs an integer and is given nan");
  refused(one().weights("c", {}, {-1}).node("Log", {"c"}, {"l"}).node("Add", {"x", "l"}, {"y"}), part);
}

}  // namespace
}  // namespace mercer

#include <cmath>

#include "support/graph_case.hpp"

// Operators that reshape or rename. A reshape alone cannot be told from none, so each is followed by something that
// looks at the shape: a sum with a constant of 2 rows and 3 columns, or a product along the last axis.

namespace {

const Numbers two_by_three{10, 20, 30, 40, 50, 60};

Numbers plus_two_by_three(const Numbers& x) {
  Numbers y = x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] += two_by_three[i];
  return y;
}

// `model` has made "r" of x; adding the constant fails unless r is 2 by 3.
GraphCase must_be_two_by_three(const std::string& op, const std::string& use, OnnxModel model) {
  model.weights("c", {2, 3}, two_by_three).node("MatMul", {"r", "unit"}, {"same"});
  model.weights("unit", {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}).node("Add", {"same", "c"}, {"y"}).output("y");
  return {op, use, model, plus_two_by_three};
}

OnnxModel flat_six(std::int64_t operator_set = 17) { return OnnxModel(operator_set).input("x", {6}); }

GraphCase reshape(const std::string& use, const OnnxDims& sizes) {
  return must_be_two_by_three("Reshape", use, flat_six().integers("to", sizes).node("Reshape", {"x", "to"}, {"r"}));
}

// What torch writes for x.view(x.shape[0], 2, 3): the batch size goes through Shape, Gather, Unsqueeze and Concat.
GraphCase reshape_by_chain() {
  OnnxModel model = flat_six();
  model.weights(integer_tensor("zero", {}, {0})).integers("front", {0}).integers("rest", {2, 3});
  model.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"batch"}, {{"axis", 0}});
  model.node("Unsqueeze", {"batch", "front"}, {"list"}).node("Concat", {"list", "rest"}, {"to"}, {{"axis", 0}});
  return must_be_two_by_three("Shape", "in_a_chain", model.node("Reshape", {"x", "to"}, {"r"}));
}

// Shape of operator set 15 can be cut to some axes at once.
GraphCase reshape_by_cut_shape() {
  OnnxModel model = flat_six(15);
  model.weights("like", {2, 3, 1}, two_by_three).node("Shape", {"x"}, {"batch"}, {{"start", 0}, {"end", 1}});
  model.node("Shape", {"like"}, {"rest"}, {{"start", -3}, {"end", -1}});
  model.node("Concat", {"batch", "rest"}, {"to"}, {{"axis", 0}});
  return must_be_two_by_three("Shape", "cut", model.node("Reshape", {"x", "to"}, {"r"}));
}

GraphCase constant_node(const std::string& use, const OnnxAttribute& value, const Numbers& want) {
  OnnxModel model;
  model.input("x", {3}).node("Constant", {}, {"c"}, {value}).node("Add", {"x", "c"}, {"y"}).output("y");
  return {"Constant", use, model, [=](const Numbers& x) {
            return Numbers{x[0] + want[0], x[1] + want[1], x[2] + want[2]};
          }};
}

GraphCase renamed(const std::string& op, const std::string& use, const std::vector<OnnxAttribute>& attributes = {}) {
  OnnxModel model;
  model.input("x", {3}).node(op, {"x"}, {"r"}, attributes).node("Neg", {"r"}, {"y"}).output("y");
  return {op, use, model, [](const Numbers& x) { return Numbers{-x[0], -x[1], -x[2]}; }};
}

GraphCase cast_of_constant(const std::string& use, int type, const Numbers& want) {
  OnnxModel model;
  model.input("x", {3}).weights("c", {3}, {-1.75, 0, 2.5}).node("Cast", {"c"}, {"whole"}, {{"to", type}});
  model.node("Mul", {"x", "whole"}, {"y"}).output("y");
  return {"Cast", use, model, [=](const Numbers& x) {
            return Numbers{x[0] * want[0], x[1] * want[1], x[2] * want[2]};
          }};
}

// A mean that depends on the state, and PPO's log_std that does not: outputs may be constants, with or without a batch
// axis, and may be an input.
GraphCase constant_outputs() {
  OnnxModel model;
  model.input("x", {2}).weights("log_std", {2}, {-0.5, 0.25}).weights("row", {1, 2}, {3, 4}).weights("one", {}, {7});
  model.node("Identity", {"log_std"}, {"copy"}).output("copy").output("row").output("x").output("one");
  return {"Identity", "of_a_constant", model,
          [](const Numbers& x) { return Numbers{-0.5, 0.25, 3, 4, x[0], x[1], 7}; }};
}

}  // namespace

std::vector<GraphCase> graph_shape_cases() {
  const auto axes = [](const OnnxDims& list) { return std::vector<OnnxAttribute>{{"axes", list}}; };
  const auto grid = [](const OnnxDims& sizes) { return OnnxModel().input("x", sizes); };
  std::vector<GraphCase> cases{
      reshape("with_all_sizes", {-1, 2, 3}),
      reshape("with_the_batch_as_zero", {0, 2, 3}),
      reshape("with_an_open_axis", {0, -1, 3}),
      reshape("for_a_single_state", {1, 2, -1}),
      reshape_by_chain(),
      reshape_by_cut_shape(),
      must_be_two_by_three("Reshape", "that_copies_axes",
                           grid({2, 3}).integers("to", {0, 0, 0}).node("Reshape", {"x", "to"}, {"r"})),
      must_be_two_by_three("Squeeze", "by_input",
                           grid({1, 2, 1, 3}).integers("at", {1, -2}).node("Squeeze", {"x", "at"}, {"r"})),
      must_be_two_by_three("Squeeze", "by_attribute", grid({1, 2, 1, 3}).node("Squeeze", {"x"}, {"r"}, axes({1, 3}))),
      must_be_two_by_three("Squeeze", "of_all_ones", grid({1, 2, 1, 3}).node("Squeeze", {"x"}, {"r"})),
      must_be_two_by_three("Unsqueeze", "by_input",
                           grid({2, 3})
                               .integers("at", {1, -1})
                               .node("Unsqueeze", {"x", "at"}, {"wide"})
                               .node("Squeeze", {"wide"}, {"r"}, axes({1, 4}))),
      must_be_two_by_three(
          "Unsqueeze", "by_attribute",
          grid({2, 3}).node("Unsqueeze", {"x"}, {"wide"}, axes({2})).node("Squeeze", {"wide"}, {"r"}, axes({2}))),
      must_be_two_by_three("Flatten", "of_three_axes",
                           grid({3, 2})
                               .node("Flatten", {"x"}, {"flat"})
                               .integers("to", {0, 2, 3})
                               .node("Reshape", {"flat", "to"}, {"r"})),
      constant_node("of_a_tensor", {"value", float_tensor("", {1, 3}, {1, 2, 3})}, {1, 2, 3}),
      constant_node("of_a_number", {"value_float", 0.5}, {0.5, 0.5, 0.5}),
      constant_node("of_a_whole_number", {"value_int", -4}, {-4, -4, -4}),
      constant_node("of_numbers", {"value_floats", std::vector<float>{1, 0.5F, 0}}, {1, 0.5, 0}),
      constant_node("of_whole_numbers", {"value_ints", OnnxDims{7, 8, 9}}, {7, 8, 9}),
      renamed("Identity", "of_a_batch"),
      renamed("Dropout", "after_training", {{"ratio", 0.5}}),
      renamed("Cast", "to_float", {{"to", 1}}),
      renamed("Cast", "to_double", {{"to", 11}}),
      cast_of_constant("to_whole_numbers", onnx::TensorProto::INT64, {-1, 0, 2}),
      cast_of_constant("to_float_of_a_constant", onnx::TensorProto::FLOAT, {-1.75, 0, 2.5}),
      cast_of_constant("to_truth", onnx::TensorProto::BOOL, {1, 0, 1}),
      constant_outputs()};
  return cases;
}

#include <cmath>

#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/refused.hpp"

// Graphs that no exporter should write, and operators used in ways that have no meaning for a batch.

namespace mercer {
namespace {

OnnxModel six() { return OnnxModel().input("x", {6}); }

TEST(GraphErrors, an_unknown_operator_is_named) {
  refused(six().node("Lstm9", {"x"}, {"y"}), "node 'y' (Lstm9) is an operator that is not supported");
  OnnxModel model = six().node("Relu", {"x"}, {"y"});
  model.proto.mutable_graph()->mutable_node(0)->set_domain("com.microsoft");
  model.proto.mutable_graph()->mutable_node(0)->set_name("first");
  refused(model, "node 'first' (com.microsoft.Relu) is an operator that is not supported");
  model.proto.mutable_graph()->mutable_node(0)->set_domain("ai.onnx");
  EXPECT_EQ(model.output("y").network().outputs()[0].size, 6);
}

TEST(GraphErrors, operator_sets_have_limits) {
  const auto with = [](std::int64_t version) {
    return OnnxModel(version).input("x", {6}).node("Relu", {"x"}, {"y"}).output("y");
  };
  refused(with(6), "operator set 6; legal: 7 to 21");
  refused(with(22), "operator set 22; legal: 7 to 21");
  refused(with(99), "operator set 99; legal: 7 to 21");
  EXPECT_NO_THROW(with(7).network());
  EXPECT_NO_THROW(with(21).network());
  OnnxModel none = with(17);
  none.proto.clear_opset_import();
  refused(none, "operator set 0");
}

TEST(GraphErrors, nodes_must_be_in_order) {
  refused(six().node("Add", {"x", "b"}, {"a"}).node("Relu", {"a"}, {"b"}).output("b"),
          "node 'a' (Add) reads 'b', which nothing before it makes (a cycle, or out of order)");
  refused(six().node("Neg", {"a"}, {"y"}).node("Relu", {"x"}, {"a"}), "node 'y' (Neg) reads 'a'");
  refused(six().node("Relu", {"y"}, {"y"}), "node 'y' (Relu) reads 'y'");
}

TEST(GraphErrors, every_value_is_made_once) {
  refused(six().node("Neg", {"x"}, {"z"}).output("y"), "nothing makes the output 'y'");
  refused(six().node("Neg", {"x"}, {"y"}).node("Relu", {"x"}, {"y"}), "node 'y' (Relu) makes 'y' a second time");
  refused(six().node("Neg", {"x"}, {"x"}), "makes 'x' a second time");
  refused(six().input("x", {2}).output("x"), "makes 'x' a second time");
  refused(six().weights("w", {1}, {1}).weights("w", {1}, {1}).output("x"), "makes 'w' a second time");
}

TEST(GraphErrors, inputs_and_outputs_have_limits) {
  refused(OnnxModel().weights("w", {1}, {1}).output("w"), "0 inputs and 1 outputs; legal: 1 or 2, and 1 to 16");
  refused(six().input("b", {1}).input("c", {1}).output("x"), "3 inputs and 1 outputs");
  OnnxModel many = six();
  for (int i = 0; i < 17; ++i) many.output("x");
  refused(many, "1 inputs and 17 outputs");
  OnnxModel none = six();
  expect_error(ErrorCode::bad_format, "1 inputs and 0 outputs", [&] { none.network(); });
  refused(OnnxModel().input("x", {}).output("x"), "input 'x' has 1 axes; legal: 2 to 8");
  refused(OnnxModel().input("x", {0}).output("x"), "axis 1 of input 'x' has size 0; legal: 1 to 1000000");
  refused(OnnxModel().input("x", {2, -1}).output("x"), "axis 2 of input 'x' has size -1");
  refused(OnnxModel().input("x", OnnxDims(8, 1)).output("x"), "input 'x' has 9 axes");
  refused(OnnxModel().input("x", {1'000'000, 1'000'000}).output("x"), "makes 1000000000000 numbers for each state");
  OnnxModel untyped = six().output("x");
  untyped.proto.mutable_graph()->mutable_input(0)->clear_type();
  refused(untyped, "input 'x' has 0 axes");
}

TEST(GraphErrors, models_without_a_plain_graph) {
  OnnxModel model = six().output("x");
  model.proto.add_functions()->set_name("f");
  refused(model, "it defines functions of its own");
  model = six().output("x");
  model.proto.mutable_graph()->add_sparse_initializer();
  refused(model, "its weights are sparse");
  model = OnnxModel();
  model.proto.clear_graph();
  expect_error(ErrorCode::bad_format, "there is no network in it", [&] { model.network(); });
}

TEST(GraphErrors, nodes_lack_inputs_and_outputs) {
  refused(six().node("Relu", {}, {"y"}), "node 'y' (Relu) lacks input 0");
  refused(six().node("Add", {"x", ""}, {"y"}), "node 'y' (Add) lacks input 1");
  refused(six().node("Relu", {"x"}, {}), "(Relu) has no output");
  refused(six().node("Concat", {}, {"y"}), "joins nothing");
  refused(six().node("Concat", {"x", ""}, {"y"}, {{"axis", 1}}), "lacks input 1");
  refused(six().node("Constant", {}, {"y"}), "has no number");
  refused(six().node("Constant", {}, {"y"}, {{"value_int", OnnxDims{}}}), "has no number");
  refused(six().node("Split", {"x"}, {"y"}, {{"axis", 1}, {"split", OnnxDims{2, 4}}}), "lacks output 1");
  refused(six().node("Elu", {"x"}, {"y"}, {{"alpha", std::nan("")}}), "attribute 'alpha' of node '' (Elu) is nan",
          ErrorCode::not_finite);
}

TEST(GraphErrors, shapes_that_do_not_fit) {
  refused(six().weights("w", {5}, std::vector<double>(5)).node("Add", {"x", "w"}, {"y"}), "combines sizes 6 and 5");
  refused(six().weights("w", {2, 6}, std::vector<double>(12)).node("Add", {"x", "w"}, {"y"}),
          "combines a constant with the batch");
  refused(six().input("z", {2, 3}).node("Add", {"x", "z"}, {"y"}), "combines values of 2 and 3 axes");
  refused(six().weights("w", {5, 2}, std::vector<double>(10)).node("MatMul", {"x", "w"}, {"y"}),
          "has weights for 5 inputs and gets 6");
  refused(six().weights("w", {6}, std::vector<double>(6)).node("MatMul", {"x", "w"}, {"y"}),
          "by weights of 1; legal: 2 or more, by 2");
  refused(six().node("MatMul", {"x", "x"}, {"y"}), "multiplies something else than a batch by constant weights");
  const OnnxModel gemm = six()
                             .weights("w", {6, 2}, std::vector<double>(12))
                             .weights("b", {3}, std::vector<double>(3))
                             .weights("c", {2, 1}, {1, 2});
  refused(OnnxModel(gemm).node("Gemm", {"x", "w", "b"}, {"y"}), "adds 3 numbers to 2 outputs");
  refused(OnnxModel(gemm).node("Gemm", {"x", "w", "c"}, {"y"}), "adds along the batch");
  refused(OnnxModel(gemm).node("Gemm", {"x", "w"}, {"y"}, {{"transA", 1}}), "transposes the batch");
  refused(six().node("Split", {"x"}, {"y", "z"}, {{"axis", 1}, {"split", OnnxDims{2, 5}}}), "splits off 5 of 4");
  refused(six().node("Split", {"x"}, {"y", "z"}, {{"axis", 1}, {"split", OnnxDims{2, 3}}}), "splits only 5 of 6");
  refused(six().node("LayerNormalization", {"x", "w"}, {"y"}).weights("w", {2}, {1, 1}),
          "has 2 scales and 6 biases for 6");
  refused(six().node("Concat", {"x", "w"}, {"y"}, {{"axis", 1}}).weights("w", {2, 2}, std::vector<double>(4)),
          "joins values of different shapes");
}

TEST(GraphErrors, axes_that_are_the_batch_or_missing) {
  refused(six().node("Softmax", {"x"}, {"y"}, {{"axis", 0}}),
          "works along axis 0, which is the batch or none of its 2");
  refused(six().node("Softmax", {"x"}, {"y"}, {{"axis", 2}}), "works along axis 2");
  refused(six().node("Softmax", {"x"}, {"y"}, {{"axis", -3}}), "works along axis -3");
  refused(six().node("ReduceSum", {"x"}, {"y"}), "reduces the batch axis too");
  refused(six().node("ArgMax", {"x"}, {"y"}), "works along axis 0");
  refused(six().node("Transpose", {"x"}, {"y"}), "moves the batch axis");
  refused(six().node("Squeeze", {"x"}, {"y"}, {{"axes", OnnxDims{1}}}), "squeezes an axis of size 6");
  refused(six().node("Unsqueeze", {"x"}, {"y"}, {{"axes", OnnxDims{2, 2}}}), "names an axis twice");
  refused(six().node("Flatten", {"x"}, {"y"}, {{"axis", 0}}), "flattens from axis 0 on");
  refused(OnnxModel().input("x", {2, 3}).node("Transpose", {"x"}, {"y"}, {{"perm", OnnxDims{0, 1, 1}}}),
          "names an axis twice");
}

TEST(GraphErrors, reshapes_and_choices_that_are_wrong) {
  const auto reshape = [](const OnnxDims& sizes) {
    return six().integers("to", sizes).node("Reshape", {"x", "to"}, {"y"});
  };
  refused(reshape({6, -1}), "moves the batch axis");
  refused(reshape({}), "moves the batch axis");
  refused(reshape({0, 4}), "makes 4 numbers out of 6");
  refused(reshape({0, 4, -1}), "makes 4 numbers out of 6");
  refused(reshape({0, -2}), "gives axis 1 the size -2");
  refused(reshape({0, std::int64_t{1} << 62, std::int64_t{1} << 62}), "gives axis 1 the size 4611686018427387904");
  const auto gather = [](const OnnxDims& at) {
    return six().integers("at", at).node("Gather", {"x", "at"}, {"y"}, {{"axis", 1}});
  };
  refused(gather({6}), "takes index 6 of 6");
  refused(gather({-7}), "takes index -7 of 6");
  refused(gather({}), "selects nothing");
  refused(six().node("Slice", {"x"}, {"y"}, {{"starts", OnnxDims{4}}, {"ends", OnnxDims{2}}, {"axes", OnnxDims{1}}}),
          "selects nothing");
  refused(six().node("Slice", {"x"}, {"y"}, {{"starts", OnnxDims{4}}, {"ends", OnnxDims{}}, {"axes", OnnxDims{1}}}),
          "of different lengths");
  refused(six().node("Cast", {"x"}, {"y"}, {{"to", 7}}), "turns computed numbers into integers");
}

}  // namespace
}  // namespace mercer

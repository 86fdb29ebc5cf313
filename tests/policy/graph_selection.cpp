#include <limits>

#include "support/graph_case.hpp"

// Operators that pick, reorder and join numbers. The expected places are written out by hand from numpy's rules; x
// holds a 3 by 4 grid, so place 4 i + j is row i, column j.

namespace {

using Places = std::vector<std::size_t>;
constexpr std::int64_t end_of_axis = std::numeric_limits<std::int64_t>::max();

OnnxModel three_by_four() { return OnnxModel().input("x", {3, 4}); }

GraphCase picks(const std::string& op, const std::string& use, OnnxModel model, const std::vector<std::string>& outputs,
                const Places& places) {
  for (const std::string& name : outputs) model.output(name);
  return {op, use, model, [=](const Numbers& x) {
            Numbers y;
            for (const std::size_t place : places) y.push_back(x[place]);
            return y;
          }};
}

GraphCase slice(const std::string& use, const OnnxDims& starts, const OnnxDims& ends, const OnnxDims& axes,
                const OnnxDims& steps, const Places& places) {
  OnnxModel model = three_by_four().integers("starts", starts).integers("ends", ends);
  std::vector<std::string> inputs{"x", "starts", "ends", axes.empty() ? "" : "axes"};
  if (!axes.empty()) model.integers("axes", axes);
  if (!steps.empty()) {
    model.integers("steps", steps);
    inputs.push_back("steps");
  }
  return picks("Slice", use, model.node("Slice", inputs, {"y"}), {"y"}, places);
}

GraphCase gather(const std::string& use, const onnx::TensorProto& indices, int axis, const Places& places) {
  return picks("Gather", use,
               three_by_four().weights(indices).node("Gather", {"x", indices.name()}, {"y"}, {{"axis", axis}}), {"y"},
               places);
}

GraphCase slice_of_a_constant() {
  OnnxModel model;
  model.input("x", {2}).weights("c", {2, 3}, {1, 2, 3, 4, 5, 6});
  model.node("Slice", {"c"}, {"last"}, {{"starts", OnnxDims{1}}, {"ends", OnnxDims{3}}, {"axes", OnnxDims{1}}});
  model.node("Transpose", {"last"}, {"turned"}).node("MatMul", {"x", "turned"}, {"y"}).output("y");
  return {"Slice", "of_a_constant", model,  // [[2, 3], [5, 6]] turned is [[2, 5], [3, 6]]
          [](const Numbers& x) {
            return Numbers{2 * x[0] + 3 * x[1], 5 * x[0] + 6 * x[1]};
          }};
}

GraphCase join(const std::string& use, const std::vector<std::string>& parts, int axis,
               std::function<Numbers(const Numbers&)> reference) {
  OnnxModel model;
  model.input("x", {2, 2}).input("z", {2, 1}).weights("c", {2, 1}, {7, 8}).weights("d", {1, 1, 2}, {5, 6});
  model.node("Concat", parts, {"y"}, {{"axis", axis}}).output("y");
  return {"Concat", use, model, std::move(reference)};
}

GraphCase join_of_constants() {
  OnnxModel model;
  model.input("x", {2, 3}).weights("a", {2, 1}, {1, 2}).weights("b", {2, 2}, {3, 4, 5, 6});
  model.node("Concat", {"a", "b"}, {"c"}, {{"axis", -1}}).node("Add", {"x", "c"}, {"y"}).output("y");
  return {"Concat", "of_constants", model,
          [](const Numbers& x) { return Numbers{x[0] + 1, x[1] + 3, x[2] + 4, x[3] + 2, x[4] + 5, x[5] + 6}; }};
}

}  // namespace

std::vector<GraphCase> graph_selection_cases() {
  const auto along = [](int axis) { return OnnxAttribute("axis", axis); };
  const Places in_two{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11};
  const Places uneven{0, 4, 8, 1, 2, 3, 5, 6, 7, 9, 10, 11};
  return {
      picks("Split", "in_equal_parts", three_by_four().node("Split", {"x"}, {"a", "b"}, {along(2)}), {"a", "b"},
            in_two),
      picks("Split", "by_attribute",
            three_by_four().node("Split", {"x"}, {"a", "b"}, {along(-1), {"split", OnnxDims{1, 3}}}), {"a", "b"},
            uneven),
      picks("Split", "by_input",
            three_by_four().integers("sizes", {1, 3}).node("Split", {"x", "sizes"}, {"a", "b"}, {along(2)}), {"a", "b"},
            uneven),
      picks("Split", "with_a_smaller_last_part", three_by_four().node("Split", {"x"}, {"a", "b"}, {along(1)}),
            {"b", "a"}, {8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}),
      slice("by_inputs", {1, 1}, {3, 3}, {1, 2}, {}, {5, 6, 9, 10}),
      slice("with_negative_ends", {-2}, {-1}, {2}, {}, {2, 6, 10}),
      slice("to_the_end", {2}, {end_of_axis}, {-1}, {1}, {2, 3, 6, 7, 10, 11}),
      slice("with_steps", {0, 1}, {end_of_axis, 4}, {1, 2}, {2, 2}, {1, 3, 9, 11}),
      slice("backwards", {-1}, {-end_of_axis}, {2}, {-1}, {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8}),
      slice("backwards_in_steps", {end_of_axis}, {0}, {2}, {-2}, {3, 1, 7, 5, 11, 9}),
      slice("with_a_step_too_far", {1}, {end_of_axis}, {1}, {end_of_axis}, {4, 5, 6, 7}),
      slice("that_keeps_the_batch", {0, 2, 0}, {end_of_axis, 3, 1}, {}, {}, {8}),
      picks("Slice", "by_attributes",
            three_by_four().node(
                "Slice", {"x"}, {"y"},
                {{"starts", OnnxDims{0, -1}}, {"ends", OnnxDims{-1, end_of_axis}}, {"axes", OnnxDims{1, 2}}}),
            {"y"}, {3, 7}),
      slice_of_a_constant(),
      gather("of_a_list", integer_tensor("i", {2}, {3, 0}), 2, {3, 0, 7, 4, 11, 8}),
      gather("of_one", integer_tensor("i", {}, {-2}), 1, {4, 5, 6, 7}),
      gather("that_repeats", integer_tensor("i", {3}, {1, 1, -1}), -1, {1, 1, 3, 5, 5, 7, 9, 9, 11}),
      picks("Transpose", "of_two_axes", three_by_four().node("Transpose", {"x"}, {"y"}, {{"perm", OnnxDims{0, 2, 1}}}),
            {"y"}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}),
      picks("Transpose", "of_three_axes",
            OnnxModel().input("x", {2, 2, 3}).node("Transpose", {"x"}, {"y"}, {{"perm", OnnxDims{0, 3, 1, 2}}}), {"y"},
            {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}),
      join("along_the_last_axis", {"x", "z"}, -1,
           [](const Numbers& in) { return Numbers{in[0], in[1], in[4], in[2], in[3], in[5]}; }),
      join("with_constants", {"c", "x"}, 2,
           [](const Numbers& in) { return Numbers{7, in[0], in[1], 8, in[2], in[3]}; }),
      join("with_a_constant_that_has_a_batch_axis", {"x", "d"}, 1,
           [](const Numbers& in) { return Numbers{in[0], in[1], in[2], in[3], 5, 6}; }),
      join("of_one", {"x"}, 1, [](const Numbers& in) { return Numbers(in.begin(), in.begin() + 4); }),
      join_of_constants()};
}

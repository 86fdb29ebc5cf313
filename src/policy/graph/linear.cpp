#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Weights times a tile.

namespace mercer {
namespace {

struct Weights {
  std::size_t outputs = 0, inputs = 0;
  std::vector<float> values;  // outputs x inputs
};

// The constant second operand.
Weights read_weights(const GraphBuilder& builder, const Node& node, bool transposed, double scale) {
  const Value& in = builder.input(node, 0);
  const Value& weights = builder.input(node, 1);
  if (in.constant || !weights.constant) {
    builder.refuse(node, "multiplies something else than a batch by constant weights");
  }
  if (in.shape.empty() || weights.shape.size() != 2) {
    builder.refuse(node, fmt::format("multiplies a value of {} axes by weights of {}; legal: 2 or more, by 2",
                                     in.shape.size() + 1, weights.shape.size()));
  }
  const std::size_t inputs = weights.shape[transposed ? 1 : 0], outputs = weights.shape[transposed ? 0 : 1];
  if (inputs != in.shape.back()) {
    builder.refuse(node, fmt::format("has weights for {} inputs and gets {}", inputs, in.shape.back()));
  }
  builder.check_known(node, weights.data);
  Weights read{outputs, inputs, {}};
  read.values.reserve(outputs * inputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    for (std::size_t i = 0; i < inputs; ++i) {
      const double weight = weights.data[transposed ? o * inputs + i : i * outputs + o];
      read.values.push_back(static_cast<float>(scale * weight));
    }
  }
  return read;
}

// out = weights * in + bias for every column of the tile, along the last axis of the input.
void add_product(GraphBuilder& builder, const Node& node, const Weights& weights, std::vector<float> bias) {
  const Value in = builder.input(node, 0);
  Shape shape = in.shape;
  shape.back() = weights.outputs;
  const std::size_t to = builder.make_output(node, 0, shape);
  builder.spend(node, static_cast<double>(in.rows()) * static_cast<double>(weights.outputs));
  builder.add_step([product = Product(weights.values, std::move(bias), weights.inputs), to, from = in.offset,
                    slices = in.rows() / in.shape.back()](float* memory) {
    for (std::size_t s = 0; s < slices; ++s) {
      product.run(memory + from + s * product.inputs() * tile_columns,
                  memory + to + s * product.outputs() * tile_columns);
    }
  });
}

void build_gemm(GraphBuilder& builder, const Node& node) {
  if (node.number("transA", 0) != 0) builder.refuse(node, "transposes the batch");
  if (builder.input(node, 0).shape.size() != 1) builder.refuse(node, "takes a value that does not have 2 axes");
  const Weights weights = read_weights(builder, node, node.number("transB", 0) != 0, node.number("alpha", 1));
  const std::vector<double> given = builder.constant_input(node, 2, {0});
  const std::size_t outputs = weights.outputs;
  if (given.size() != 1 && given.size() != outputs) {
    builder.refuse(node, fmt::format("adds {} numbers to {} outputs", given.size(), outputs));
  }
  if (given.size() > 1 && builder.input(node, 2).shape.back() != outputs) builder.refuse(node, "adds along the batch");
  builder.check_known(node, given);
  std::vector<float> bias(outputs);
  for (std::size_t o = 0; o < outputs; ++o) {
    bias[o] = static_cast<float>(node.number("beta", 1) * given[given.size() == 1 ? 0 : o]);
  }
  add_product(builder, node, weights, std::move(bias));
}

void build_matmul(GraphBuilder& builder, const Node& node) {
  const Weights weights = read_weights(builder, node, false, 1);
  add_product(builder, node, weights, std::vector<float>(weights.outputs));
}

}  // namespace

void add_linear_operations(OperationTable& table) {
  table["Gemm"] = build_gemm;
  table["MatMul"] = build_matmul;
}

}  // namespace mercer

#include "fuzz/mutate_onnx.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "mercer/policy.hpp"

namespace {

using Random = std::mt19937;

template <class List>
auto& any_of(List& list, Random& random) {
  return list[static_cast<int>(random() % static_cast<unsigned>(std::size(list)))];
}

// Mostly small and sensible, sometimes at the edge of what fits.
std::int64_t any_integer(Random& random) {
  constexpr std::int64_t odd[] = {std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min(),
                                  std::int64_t{1} << 62,
                                  std::int64_t{1} << 33,
                                  1'000'000,
                                  4096,
                                  64,
                                  100};
  if (random() % 8 == 0) return any_of(odd, random);
  return static_cast<std::int64_t>(random() % 8) - 3;
}

float any_float(Random& random) {
  constexpr float odd[] = {0, -0.0F, 1e-30F, 1e30F, -1e30F, HUGE_VALF, std::numeric_limits<float>::quiet_NaN()};
  if (random() % 8 == 0) return any_of(odd, random);
  return static_cast<float>(random() % 1000) / 100 - 5;
}

// Every name that a node could read.
std::vector<std::string> names_in(const onnx::GraphProto& graph) {
  std::vector<std::string> names{""};
  for (const auto& input : graph.input()) names.push_back(input.name());
  for (const auto& tensor : graph.initializer()) names.push_back(tensor.name());
  for (const auto& node : graph.node()) names.insert(names.end(), node.output().begin(), node.output().end());
  return names;
}

std::string any_operator(Random& random) {
  static const std::vector<std::string> known = mercer::known_onnx_operators();
  return any_of(known, random);
}

void change_attribute(onnx::NodeProto& node, Random& random) {
  static const std::vector<std::string> keys{"axis",      "axes",       "alpha",       "beta", "gamma",  "transB",
                                             "transA",    "split",      "perm",        "to",   "min",    "max",
                                             "keepdims",  "epsilon",    "start",       "end",  "starts", "ends",
                                             "value_int", "value_ints", "value_floats"};
  constexpr onnx::AttributeProto::AttributeType types[] = {onnx::AttributeProto::INT, onnx::AttributeProto::INTS,
                                                           onnx::AttributeProto::FLOAT, onnx::AttributeProto::FLOATS};
  if (node.attribute_size() == 0 || random() % 4 == 0) {
    auto* const made = node.add_attribute();
    made->set_name(any_of(keys, random));
    made->set_type(any_of(types, random));
  }
  auto& attribute = any_of(*node.mutable_attribute(), random);
  if (random() % 8 == 0) return attribute.Clear();
  attribute.set_i(any_integer(random));
  attribute.set_f(any_float(random));
  if (random() % 2 == 0 || attribute.ints_size() == 0) {
    attribute.add_ints(any_integer(random));
    attribute.add_floats(any_float(random));
  } else {
    any_of(*attribute.mutable_ints(), random) = any_integer(random);
    if (random() % 4 == 0) attribute.clear_ints();
  }
}

void change_tensor(onnx::TensorProto& tensor, Random& random) {
  switch (random() % 4) {
    case 0:  // one size
      if (tensor.dims_size() > 0) any_of(*tensor.mutable_dims(), random) = any_integer(random);
      break;
    case 1:  // one axis more, which changes no count
      tensor.add_dims(1);
      if (tensor.dims_size() > 1)
        std::swap(any_of(*tensor.mutable_dims(), random), any_of(*tensor.mutable_dims(), random));
      break;
    case 2:  // some bytes of the weights
      if (!tensor.raw_data().empty()) any_of(*tensor.mutable_raw_data(), random) = static_cast<char>(random());
      if (tensor.float_data_size() > 0) any_of(*tensor.mutable_float_data(), random) = any_float(random);
      if (tensor.int64_data_size() > 0) any_of(*tensor.mutable_int64_data(), random) = any_integer(random);
      break;
    default:  // another type
      tensor.set_data_type(static_cast<int>(random() % 18));
  }
}

// A small list of numbers for nodes to read.
std::string add_list(onnx::GraphProto& graph, Random& random) {
  auto* const tensor = graph.add_initializer();
  tensor->set_name("list" + std::to_string(random()));
  const bool whole = random() % 2 == 0;
  tensor->set_data_type(whole ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
  const auto count = static_cast<std::int64_t>(random() % 5);
  const bool single = count == 1 && random() % 2 == 0;  // a number, not a list of one
  if (!single) tensor->add_dims(count);
  for (std::int64_t i = 0; i < count; ++i) {
    if (whole) tensor->add_int64_data(any_integer(random));
    if (!whole) tensor->add_float_data(any_float(random));
  }
  return tensor->name();
}

// At the end, where everything is there to be read, and often as what the network puts out.
void add_node(onnx::GraphProto& graph, Random& random) {
  std::vector<std::string> names = names_in(graph);
  auto* const node = graph.add_node();
  node->set_op_type(any_operator(random));
  for (auto i = random() % 3; i < 3; ++i) {
    node->add_input(random() % 4 == 0 ? add_list(graph, random) : any_of(names, random));
  }
  node->add_output("made" + std::to_string(random()));
  if (random() % 2 == 0) change_attribute(*node, random);
  if (graph.output_size() > 0 && random() % 2 == 0) any_of(*graph.mutable_output(), random).set_name(node->output(0));
}

void change_port(onnx::GraphProto& graph, Random& random) {
  if (graph.input_size() == 0) return;
  auto* const shape = any_of(*graph.mutable_input(), random).mutable_type()->mutable_tensor_type()->mutable_shape();
  if (shape->dim_size() < 2 || random() % 4 == 0) shape->add_dim()->set_dim_value(any_integer(random));
  any_of(*shape->mutable_dim(), random).set_dim_value(any_integer(random));
}

}  // namespace

void mutate_onnx(onnx::ModelProto& model, Random& random) {
  onnx::GraphProto& graph = *model.mutable_graph();
  if (graph.node_size() == 0) return add_node(graph, random);
  const auto chosen = static_cast<int>(random() % static_cast<unsigned>(graph.node_size()));
  onnx::NodeProto& node = *graph.mutable_node(chosen);
  const std::vector<std::string> names = names_in(graph);
  switch (random() % 12) {
    case 0:
    case 1:
      return add_node(graph, random);
    case 2:
      return node.set_op_type(any_operator(random));
    case 3:
    case 4:
      return change_attribute(node, random);
    case 5:
      if (node.input_size() == 0 || random() % 4 == 0) node.add_input();
      any_of(*node.mutable_input(), random) = random() % 4 == 0 ? add_list(graph, random) : any_of(names, random);
      return;
    case 6:
      for (auto& attribute : *node.mutable_attribute()) {
        if (attribute.has_t()) return change_tensor(*attribute.mutable_t(), random);
      }
      if (graph.initializer_size() > 0) change_tensor(any_of(*graph.mutable_initializer(), random), random);
      return;
    case 7:
      return node.Swap(&any_of(*graph.mutable_node(), random));
    case 8:
      if (graph.output_size() == 0 || random() % 4 == 0) graph.add_output();
      return any_of(*graph.mutable_output(), random).set_name(any_of(names, random));
    case 9:
      return change_port(graph, random);
    case 10:
      if (model.opset_import_size() > 0) model.mutable_opset_import(0)->set_version(6 + random() % 17);
      return;
    default:  // a node less, and its readers read what it read
      const std::string from = node.input_size() > 0 ? node.input(0) : "";
      const std::string to = node.output_size() > 0 ? node.output(0) : "";
      for (auto& reader : *graph.mutable_node()) {
        for (auto& name : *reader.mutable_input()) {
          if (name == to) name = from;
        }
      }
      graph.mutable_node()->DeleteSubrange(chosen, 1);
  }
}

#include "export/onnx/graph_writer.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace mercer {

std::string GraphWriter::node(const std::string& op, const std::vector<std::string>& inputs,
                              std::initializer_list<std::pair<const char*, std::int64_t>> attributes,
                              const std::string& output) {
  onnx::NodeProto& made = *graph_.add_node();
  made.set_op_type(op);
  made.set_name(fmt::format("{}_{}", op, nodes_++));
  for (const std::string& input : inputs) made.add_input(input);
  made.add_output(output.empty() ? made.name() : output);
  for (const auto& [name, value] : attributes) {
    onnx::AttributeProto& attribute = *made.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  return made.output(0);
}

std::string GraphWriter::reals(const std::string& name, const std::vector<double>& numbers,
                               const std::vector<std::int64_t>& shape) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : shape) tensor.add_dims(extent);
  constexpr double most = std::numeric_limits<float>::max();
  for (const double number : numbers) tensor.add_float_data(static_cast<float>(std::clamp(number, -most, most)));
  bytes_ += 4 * numbers.size();
  return name;
}

std::string GraphWriter::integers(const std::string& name, const std::vector<std::int64_t>& numbers) {
  onnx::TensorProto& tensor = *graph_.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(numbers.size()));
  for (const std::int64_t number : numbers) tensor.add_int64_data(number);
  bytes_ += 8 * numbers.size();
  return name;
}

std::string GraphWriter::join(const std::vector<std::string>& parts) {
  return parts.size() == 1 ? parts[0] : node("Concat", parts, {{"axis", 1}});
}

}  // namespace mercer

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <set>
#include <string>

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "core/number_codes.hpp"
#include "io/file.hpp"
#include "io/limits.hpp"
#include "mercer/error.hpp"
#include "mercer/policy.hpp"
#include "policy/graph/graph.hpp"
#include "policy/onnx_facts.hpp"

namespace onnx {
class TensorProto;
}

namespace mercer {

/// The numbers of a tensor in an ONNX file. Throws `bad_format` when its size, its type or where it is kept is not
/// supported, `not_finite` for a weight that is no number.
Tensor read_tensor(const onnx::TensorProto& proto, const std::string& where);

namespace {

using Proto = onnx::TensorProto;

double from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

template <class T>
std::vector<double> from_bytes(const std::string& bytes, double (*convert)(T)) {
  std::vector<double> numbers(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    T value;
    std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
    numbers[i] = convert(value);
  }
  return numbers;
}

template <class T>
double plain(T value) {
  return static_cast<double>(value);
}

template <class Field>
std::vector<double> from_field(const Field& field) {
  return {field.begin(), field.end()};
}

std::vector<double> read_numbers(const Proto& proto, const std::string& where) {
  const std::string& raw = proto.raw_data();
  const bool is_raw = proto.has_raw_data();
  switch (proto.data_type()) {
    case Proto::FLOAT:
      return is_raw ? from_bytes(raw, &plain<float>) : from_field(proto.float_data());
    case Proto::DOUBLE:
      return is_raw ? from_bytes(raw, &plain<double>) : from_field(proto.double_data());
    case Proto::INT64:
      return is_raw ? from_bytes(raw, &plain<std::int64_t>) : from_field(proto.int64_data());
    case Proto::INT32:
      return is_raw ? from_bytes(raw, &plain<std::int32_t>) : from_field(proto.int32_data());
    case Proto::BOOL:
      return is_raw ? from_bytes(raw, &plain<std::uint8_t>) : from_field(proto.int32_data());
    case Proto::FLOAT16:
    case Proto::BFLOAT16: {
      const auto convert = proto.data_type() == Proto::FLOAT16 ? &from_half : &from_bfloat;
      if (is_raw) return from_bytes(raw, convert);
      std::vector<double> numbers;
      for (const std::int32_t bits : proto.int32_data()) numbers.push_back(convert(static_cast<std::uint16_t>(bits)));
      return numbers;
    }
    default:
      break;
  }
  throw Error(ErrorCode::bad_format,
              fmt::format("'{}': the numbers of '{}' have type {} ({})", where, proto.name(), proto.data_type(),
                          Proto::DataType_IsValid(proto.data_type())
                              ? Proto::DataType_Name(static_cast<Proto::DataType>(proto.data_type()))
                              : "unknown"),
              "Export with float weights");
}

}  // namespace

Tensor read_tensor(const Proto& proto, const std::string& where) {
  const auto refuse = [&](const std::string& why, const char* remedy) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': tensor '{}' {}", where, proto.name(), why), remedy);
  };
  if (proto.data_location() == Proto::EXTERNAL) {
    refuse("is kept in another file", "Export the weights into the .onnx file itself");
  }
  Tensor tensor;
  tensor.data = read_numbers(proto, where);
  std::size_t size = 1;
  for (const std::int64_t extent : proto.dims()) {
    if (extent < 0 || (extent > 0 && size > tensor.data.size() / static_cast<std::size_t>(extent))) {
      refuse(fmt::format("announces an axis of {} and holds {} numbers", extent, tensor.data.size()),
             "Export the network again");
    }
    size *= static_cast<std::size_t>(extent);
    tensor.shape.push_back(static_cast<std::size_t>(extent));
  }
  if (size != tensor.data.size() || tensor.shape.size() > 8) {
    refuse(fmt::format("announces {} numbers in {} axes and holds {}; legal: as many, in up to 8", size,
                       tensor.shape.size(), tensor.data.size()),
           "Export the network again");
  }
  for (std::size_t i = 0; i < size; ++i) {
    const auto single = static_cast<float>(tensor.data[i]);  // as it is computed with: a double may be too large
    if (std::isnan(single) || (std::isinf(single) && size > 1)) {
      throw Error(ErrorCode::not_finite,
                  fmt::format("'{}': number {} of tensor '{}' is {}", where, i, proto.name(), tensor.data[i]),
                  "Look for divergence in the training, and export a network with finite weights");
    }
  }
  return tensor;
}

namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& why, const std::string& remedy) {
  throw Error(ErrorCode::bad_format, fmt::format("'{}': {}", where, why), remedy);
}

std::int64_t check_operator_set(const onnx::ModelProto& model, const std::string& where) {
  constexpr std::int64_t oldest = 7, newest = 21;
  std::int64_t version = 0;
  for (const auto& import : model.opset_import()) {
    if (import.domain().empty() || import.domain() == "ai.onnx") version = import.version();
  }
  if (version >= oldest && version <= newest) return version;
  refuse(where, fmt::format("operator set {}; legal: {} to {}", version, oldest, newest),
         "Export with another opset_version; 17 is a good choice");
}

// The axes after the batch.
Shape read_input_shape(const onnx::ValueInfoProto& input, const std::string& where) {
  const auto& shape = input.type().tensor_type().shape();
  if (!input.type().has_tensor_type() || shape.dim_size() < 2 || shape.dim_size() > 8) {
    refuse(
        where,
        fmt::format("input '{}' has {} axes; legal: 2 to 8, the first for the batch", input.name(), shape.dim_size()),
        "Export with a batch axis: an example input of shape [1, observations]");
  }
  Shape sizes;
  std::size_t total = 1;
  for (int d = 1; d < shape.dim_size(); ++d) {
    const std::int64_t size = shape.dim(d).dim_value();
    if (size < 1 || size > 1'000'000 || total > 1'000'000) {
      refuse(where,
             fmt::format("axis {} of input '{}' has size {}; legal: 1 to 1000000, known when it is exported", d,
                         input.name(), size),
             "Export with only the batch axis dynamic");
    }
    total *= static_cast<std::size_t>(size);
    sizes.push_back(static_cast<std::size_t>(size));
  }
  return sizes;
}

Node read_node(const onnx::NodeProto& proto, const std::string& where) {
  Node node{proto.op_type(),
            proto.name(),
            {proto.input().begin(), proto.input().end()},
            {proto.output().begin(), proto.output().end()}};
  if (!proto.domain().empty() && proto.domain() != "ai.onnx") node.op = proto.domain() + "." + node.op;
  for (const auto& attribute : proto.attribute()) {
    auto& numbers = node.numbers[attribute.name()];
    switch (attribute.type()) {
      case onnx::AttributeProto::FLOAT:
        numbers = {attribute.f()};
        break;
      case onnx::AttributeProto::INT:
        numbers = {static_cast<double>(attribute.i())};
        break;
      case onnx::AttributeProto::FLOATS:
        numbers = {attribute.floats().begin(), attribute.floats().end()};
        break;
      case onnx::AttributeProto::INTS:
        numbers = {attribute.ints().begin(), attribute.ints().end()};
        break;
      case onnx::AttributeProto::TENSOR:
        node.tensors[attribute.name()] = read_tensor(attribute.t(), where);
        [[fallthrough]];
      default:
        node.numbers.erase(attribute.name());
        continue;
    }
    if (std::ranges::any_of(numbers, [](double number) { return std::isnan(number); })) {
      throw Error(
          ErrorCode::not_finite,
          fmt::format("'{}': attribute '{}' of node '{}' ({}) is nan", where, attribute.name(), node.name, node.op),
          "Look for divergence in the training, and export the network again");
    }
  }
  return node;
}

Graph read_graph(const onnx::GraphProto& proto, std::int64_t operator_set, const std::string& where) {
  GraphBuilder builder(where, operator_set);
  std::set<std::string> initialised;
  for (const auto& tensor : proto.initializer()) {
    builder.add_constant(tensor.name(), read_tensor(tensor, where));
    initialised.insert(tensor.name());
  }
  if (proto.sparse_initializer_size() > 0) refuse(where, "its weights are sparse", "Export dense weights");
  for (const auto& input : proto.input()) {
    if (!initialised.contains(input.name())) builder.add_input(input.name(), read_input_shape(input, where));
  }
  for (const auto& node : proto.node()) builder.add_node(read_node(node, where));
  for (const auto& output : proto.output()) builder.add_output(output.name());
  Graph graph = builder.finish();
  const std::size_t in = graph.inputs.size(), out = graph.outputs.size();
  if (in < 1 || in > 2 || out < 1 || out > most_network_outputs) {
    refuse(where, fmt::format("{} inputs and {} outputs; legal: 1 or 2, and 1 to {}", in, out, most_network_outputs),
           "Export the policy's network alone");
  }
  return graph;
}

onnx::ModelProto parse_model(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.empty()) refuse(where, "the file is empty", "Give a file that torch.onnx.export wrote");
  onnx::ModelProto model;
  if (bytes.size() > limits::onnx_bytes || !model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Error(ErrorCode::corrupt_file, fmt::format("'{}' is not an ONNX file, or is cut short", where),
                "Give a whole file that torch.onnx.export wrote");
  }
  if (!model.has_graph()) refuse(where, "there is no network in it", "Give a file that torch.onnx.export wrote");
  return model;
}

}  // namespace

Network parse_onnx(std::span<const std::byte> bytes, const std::string& where) {
  const onnx::ModelProto model = parse_model(bytes, where);
  const std::int64_t operator_set = check_operator_set(model, where);
  if (model.functions_size() > 0) {
    refuse(where, "it defines functions of its own", "Export without functions (export_modules_as_functions=False)");
  }
  return Network(read_graph(model.graph(), operator_set, where));
}

Network read_onnx(const std::filesystem::path& path) {
  return parse_onnx(read_file(path, limits::onnx_bytes), path.string());
}

OnnxFacts read_onnx_facts(const std::filesystem::path& path) {
  const std::string where = path.string();
  const onnx::ModelProto model = parse_model(read_file(path, limits::onnx_bytes), where);
  OnnxFacts facts{model.producer_name(), model.producer_version(), check_operator_set(model, where)};
  std::map<std::string, std::pair<std::size_t, std::size_t>> matrices;
  for (const auto& tensor : model.graph().initializer()) {
    if (tensor.dims_size() != 2) continue;
    matrices[tensor.name()] = {static_cast<std::size_t>(tensor.dims(0)), static_cast<std::size_t>(tensor.dims(1))};
  }
  for (const auto& node : model.graph().node()) {
    if (std::ranges::find(facts.operators, node.op_type()) == facts.operators.end()) {
      facts.operators.push_back(node.op_type());
    }
    if ((node.op_type() != "Gemm" && node.op_type() != "MatMul") || node.input_size() < 2) continue;
    const auto found = matrices.find(node.input(1));
    if (found == matrices.end()) continue;
    const bool transposed = std::ranges::any_of(
        node.attribute(), [](const auto& attribute) { return attribute.name() == "transB" && attribute.i() != 0; });
    const auto [rows, columns] = found->second;
    facts.layers.push_back({node.input(1), transposed ? columns : rows, transposed ? rows : columns});
  }
  return facts;
}

std::vector<std::string> known_onnx_operators() { return known_operations(); }

}  // namespace mercer

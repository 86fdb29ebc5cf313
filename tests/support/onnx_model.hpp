#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <onnx/onnx_pb.h>

#include "mercer/policy.hpp"

/// An attribute of a node: a number, a list or a tensor, made from what a test writes.
class OnnxAttribute {
 public:
  OnnxAttribute(std::string name, int value) : OnnxAttribute(std::move(name), onnx::AttributeProto::INT) {
    proto.set_i(value);
  }
  OnnxAttribute(std::string name, double value) : OnnxAttribute(std::move(name), onnx::AttributeProto::FLOAT) {
    proto.set_f(static_cast<float>(value));
  }
  OnnxAttribute(std::string name, const std::vector<std::int64_t>& list)
      : OnnxAttribute(std::move(name), onnx::AttributeProto::INTS) {
    for (const std::int64_t number : list) proto.add_ints(number);
  }
  OnnxAttribute(std::string name, const std::vector<float>& list)
      : OnnxAttribute(std::move(name), onnx::AttributeProto::FLOATS) {
    for (const float number : list) proto.add_floats(number);
  }
  OnnxAttribute(std::string name, const onnx::TensorProto& tensor)
      : OnnxAttribute(std::move(name), onnx::AttributeProto::TENSOR) {
    *proto.mutable_t() = tensor;
  }

  onnx::AttributeProto proto;

 private:
  OnnxAttribute(std::string name, onnx::AttributeProto::AttributeType type) {
    proto.set_name(std::move(name));
    proto.set_type(type);
  }
};

using OnnxDims = std::vector<std::int64_t>;

inline onnx::TensorProto float_tensor(const std::string& name, const OnnxDims& dims,
                                      const std::vector<double>& values) {
  onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const double value : values) tensor.add_float_data(static_cast<float>(value));
  return tensor;
}

inline onnx::TensorProto integer_tensor(const std::string& name, const OnnxDims& dims, const OnnxDims& values) {
  onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  for (const std::int64_t extent : dims) tensor.add_dims(extent);
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return tensor;
}

/// A model put together call by call. Input sizes are without the batch axis, which is dynamic.
class OnnxModel {
 public:
  explicit OnnxModel(std::int64_t operator_set = 17) {
    proto.set_ir_version(8);
    proto.add_opset_import()->set_version(operator_set);
    proto.mutable_graph()->set_name("test");
  }

  OnnxModel& input(const std::string& name, const OnnxDims& sizes) {
    auto* port = proto.mutable_graph()->add_input();
    port->set_name(name);
    auto* type = port->mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape()->add_dim()->set_dim_param("batch");
    for (const std::int64_t size : sizes) type->mutable_shape()->add_dim()->set_dim_value(size);
    return *this;
  }
  OnnxModel& output(const std::string& name) {
    proto.mutable_graph()->add_output()->set_name(name);
    return *this;
  }
  OnnxModel& weights(const onnx::TensorProto& tensor) {
    *proto.mutable_graph()->add_initializer() = tensor;
    return *this;
  }
  OnnxModel& weights(const std::string& name, const OnnxDims& dims, const std::vector<double>& values) {
    return weights(float_tensor(name, dims, values));
  }
  OnnxModel& integers(const std::string& name, const OnnxDims& values) {
    return weights(integer_tensor(name, {static_cast<std::int64_t>(values.size())}, values));
  }
  OnnxModel& node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs, const std::vector<OnnxAttribute>& attributes = {}) {
    auto* made = proto.mutable_graph()->add_node();
    made->set_op_type(op);
    for (const std::string& name : inputs) made->add_input(name);
    for (const std::string& name : outputs) made->add_output(name);
    for (const OnnxAttribute& attribute : attributes) *made->add_attribute() = attribute.proto;
    return *this;
  }

  std::string bytes() const { return proto.SerializeAsString(); }
  mercer::Network network() const {
    const std::string text = bytes();
    return mercer::parse_onnx(std::as_bytes(std::span(text)), "test.onnx");
  }

  onnx::ModelProto proto;
};

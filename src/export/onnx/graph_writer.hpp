#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace mercer {

/// Puts nodes and constants into an ONNX graph; every node has one output, whose name is returned.
class GraphWriter {
 public:
  explicit GraphWriter(onnx::GraphProto& graph) : graph_(graph) {}

  std::string node(const std::string& op, const std::vector<std::string>& inputs,
                   std::initializer_list<std::pair<const char*, std::int64_t>> attributes = {},
                   const std::string& output = "");
  /// Single-precision numbers of this shape; what is not finite there becomes the largest number.
  std::string reals(const std::string& name, const std::vector<double>& numbers,
                    const std::vector<std::int64_t>& shape);
  std::string list(const std::string& name, const std::vector<double>& numbers) {
    return reals(name, numbers, {static_cast<std::int64_t>(numbers.size())});
  }
  std::string integers(const std::string& name, const std::vector<std::int64_t>& numbers);
  /// One value of several with as many rows, side by side.
  std::string join(const std::vector<std::string>& parts);

  std::size_t bytes() const { return bytes_; }  ///< of constants

 private:
  onnx::GraphProto& graph_;
  std::size_t nodes_ = 0, bytes_ = 0;
};

}  // namespace mercer

#pragma once

#include <string>

#include "policy/graph/graph.hpp"

namespace onnx {
class TensorProto;
}

namespace mercer {

/// The numbers of a tensor in an ONNX file. Throws `bad_format` when its size, its type or where it is kept is not
/// supported, `not_finite` for a weight that is no number.
Tensor read_tensor(const onnx::TensorProto& proto, const std::string& where);

}  // namespace mercer

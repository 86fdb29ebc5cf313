#pragma once

#include "policy/graph/graph.hpp"

namespace mercer {

/// Two operands brought to one shape as numpy does it, axes matched from the last.
struct Broadcast {
  Shape shape;                              ///< without the batch axis, unless both are constants
  std::vector<std::size_t> rows_a, rows_b;  ///< for each element of the result, the element of an operand
};
Broadcast broadcast(const GraphBuilder& builder, const Node& node, const Value& a, const Value& b);

/// For each element of shape `out`, the element of an operand of shape `in` that is broadcast to it.
std::vector<std::size_t> broadcast_rows(const Shape& in, const Shape& out);

}  // namespace mercer

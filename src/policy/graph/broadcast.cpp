#include "policy/graph/broadcast.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace mercer {
namespace {

// A constant that meets a batch value has an axis of its own for the batch, of size one, or none at all.
Shape without_batch_axis(const GraphBuilder& builder, const Node& node, const Value& value, std::size_t rank) {
  if (!value.constant || value.shape.size() <= rank) return value.shape;
  if (value.shape.size() != rank + 1 || value.shape[0] != 1) {
    builder.refuse(node, "combines a constant with the batch axis");
  }
  return {value.shape.begin() + 1, value.shape.end()};
}

}  // namespace

std::vector<std::size_t> broadcast_rows(const Shape& in, const Shape& out) {
  std::vector<std::size_t> rows(size_of(out));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t rest = i, stride = 1;
    for (std::size_t d = 0; d < in.size(); ++d) {
      const std::size_t extent = in[in.size() - 1 - d];
      const std::size_t along = out[out.size() - 1 - d];
      rows[i] += rest % along % extent * stride;
      rest /= along;
      stride *= extent;
    }
  }
  return rows;
}

Broadcast broadcast(const GraphBuilder& builder, const Node& node, const Value& a, const Value& b) {
  const bool folds = a.constant && b.constant;
  // Two batch values are matched with their batch axes, so they must have equally many axes.
  if (!a.constant && !b.constant && a.shape.size() != b.shape.size()) {
    builder.refuse(node, fmt::format("combines values of {} and {} axes", a.shape.size() + 1, b.shape.size() + 1));
  }
  const Shape x = folds ? a.shape : without_batch_axis(builder, node, a, b.shape.size());
  const Shape y = folds ? b.shape : without_batch_axis(builder, node, b, a.shape.size());
  Broadcast both{Shape(std::max(x.size(), y.size())), {}, {}};
  for (std::size_t d = 0; d < both.shape.size(); ++d) {
    const std::size_t m = d < x.size() ? x[x.size() - 1 - d] : 1;
    const std::size_t n = d < y.size() ? y[y.size() - 1 - d] : 1;
    if (m != n && m != 1 && n != 1) builder.refuse(node, fmt::format("combines sizes {} and {}", m, n));
    both.shape[both.shape.size() - 1 - d] = m == 0 || n == 0 ? 0 : std::max(m, n);
  }
  std::size_t size = 1;
  for (const std::size_t extent : both.shape) {
    size *= extent;
    if (size > most_folded) builder.refuse(node, fmt::format("makes more than {} numbers", most_folded));
  }
  both.rows_a = broadcast_rows(x, both.shape);
  both.rows_b = broadcast_rows(y, both.shape);
  return both;
}

}  // namespace mercer

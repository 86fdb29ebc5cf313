#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Operations that change what a value is called or how it is shaped, not its numbers.

namespace mercer {
namespace {

// What `Shape` says of the batch axis. It survives slicing and joining, spoils arithmetic, and Reshape knows it.
constexpr double batch_size = std::numeric_limits<double>::quiet_NaN();

void rename(GraphBuilder& builder, const Node& node, const Value& in, const Shape& shape) {
  std::vector<std::size_t> rows(in.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  builder.make_selection(node, 0, in, shape, rows);
}

void build_identity(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  rename(builder, node, in, in.shape);
}

void build_cast(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const double type =
      node.number("to", 1);  // TensorProto: 1 float, 9 truth, 10 half, 11 double, 16 bfloat; the rest are integers
  const bool real = type == 1 || type == 10 || type == 11 || type == 16;
  if (!in.constant && !real) builder.refuse(node, "turns computed numbers into integers");
  if (real) return rename(builder, node, in, in.shape);
  Tensor out{in.shape, in.data};
  for (double& value : out.data) {
    if (std::isnan(value)) continue;
    value = type == 9 ? (value != 0 ? 1 : 0) : std::trunc(value);
  }
  builder.make_constant(node, 0, std::move(out));
}

void build_constant(GraphBuilder& builder, const Node& node) {
  if (const auto found = node.tensors.find("value"); found != node.tensors.end()) {
    return builder.make_constant(node, 0, found->second);
  }
  for (const auto& [key, numbers] : node.numbers) {
    const bool is_list = key == "value_ints" || key == "value_floats";
    if (is_list) return builder.make_constant(node, 0, {{numbers.size()}, numbers});
    if ((key == "value_int" || key == "value_float") && numbers.size() == 1) {
      return builder.make_constant(node, 0, {{}, numbers});
    }
  }
  builder.refuse(node, "has no number");
}

void build_shape(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  std::vector<double> sizes;
  if (!in.constant) sizes.push_back(batch_size);
  for (const std::size_t extent : in.shape) sizes.push_back(static_cast<double>(extent));
  // From operator set 15 on, only the axes from `start` to before `end`.
  const double rank = static_cast<double>(sizes.size());
  const auto place = [&](const char* key, double standard) {
    const double axis = node.number(key, standard);
    return static_cast<std::ptrdiff_t>(to_integer(builder, node, std::clamp(axis < 0 ? axis + rank : axis, 0.0, rank)));
  };
  const std::ptrdiff_t start = place("start", 0), end = std::max(start, place("end", rank));
  sizes = std::vector<double>(sizes.begin() + start, sizes.begin() + end);
  builder.make_constant(node, 0, {{sizes.size()}, sizes});
}

// The sizes that a Reshape asks for after the batch axis; those of a constant all.
Shape reshaped(const GraphBuilder& builder, const Node& node, const Value& in, std::vector<double> sizes) {
  std::size_t first = 0;
  if (!in.constant) {
    // The batch stays in front: written as 0, -1, the result of Shape, or 1 by an export for a single state.
    if (sizes.empty() || !(std::isnan(sizes[0]) || sizes[0] == 0 || sizes[0] == -1 || sizes[0] == 1)) {
      builder.refuse(node, "moves the batch axis");
    }
    first = 1;
  }
  Shape shape;
  std::size_t known = 1, open = sizes.size();
  for (std::size_t d = first; d < sizes.size(); ++d) {
    const std::int64_t size = to_integer(builder, node, sizes[d]);
    if (size == -1 && open == sizes.size()) {
      open = d;
      shape.push_back(1);
      continue;
    }
    const bool copied = size == 0 && d - first < in.shape.size();
    const std::size_t extent = copied ? in.shape[d - first] : static_cast<std::size_t>(size);
    if (size < 0 || extent == 0 || extent > in.rows() || known > in.rows()) {
      builder.refuse(node, fmt::format("gives axis {} the size {}", d, size));
    }
    known *= extent;
    shape.push_back(extent);
  }
  if (open < sizes.size()) {
    shape[open - first] = in.rows() / known;
    known *= shape[open - first];
  }
  if (known != in.rows()) builder.refuse(node, fmt::format("makes {} numbers out of {}", known, in.rows()));
  return shape;
}

void build_reshape(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  rename(builder, node, in, reshaped(builder, node, in, builder.list(node, 1, "shape", {})));
}

void build_flatten(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const double axis = node.number("axis", 1);
  if (in.constant || (axis != 1 && axis != -static_cast<double>(in.shape.size()))) {
    builder.refuse(node, fmt::format("flattens from axis {} on; legal: 1, all but the batch", axis));
  }
  rename(builder, node, in, {in.rows()});
}

void build_squeeze(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  std::vector<bool> gone(in.shape.size());
  for (std::size_t d = 0; d < in.shape.size(); ++d) gone[d] = in.shape[d] == 1;
  const std::vector<double> axes = builder.list(node, 1, "axes", {});
  if (!axes.empty()) {
    std::vector<bool> named(in.shape.size());
    for (const double axis : axes) named[resolve_axis(builder, node, in, axis)] = true;
    for (std::size_t d = 0; d < named.size(); ++d) {
      if (named[d] && !gone[d]) builder.refuse(node, fmt::format("squeezes an axis of size {}", in.shape[d]));
    }
    gone = named;
  }
  Shape shape;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    if (!gone[d]) shape.push_back(in.shape[d]);
  }
  rename(builder, node, in, shape);
}

void build_unsqueeze(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const std::vector<double> axes = builder.list(node, 1, "axes", {});
  if (axes.empty() || axes.size() > 8) builder.refuse(node, fmt::format("adds {} axes", axes.size()));
  Value wide = in;  // of the rank that the axes count in
  wide.shape.assign(in.shape.size() + axes.size(), 0);
  for (const double axis : axes) wide.shape[resolve_axis(builder, node, wide, axis)] = 1;
  auto next = in.shape.begin();
  for (std::size_t& extent : wide.shape) {
    if (extent == 1) continue;
    if (next == in.shape.end()) builder.refuse(node, "names an axis twice");
    extent = *next++;
  }
  rename(builder, node, in, wide.shape);
}

}  // namespace

void add_shape_operations(OperationTable& table) {
  table["Identity"] = build_identity;
  table["Dropout"] = build_identity;  // does nothing once trained
  table["Cast"] = build_cast;
  table["Constant"] = build_constant;
  table["Shape"] = build_shape;
  table["Reshape"] = build_reshape;
  table["Flatten"] = build_flatten;
  table["Squeeze"] = build_squeeze;
  table["Unsqueeze"] = build_unsqueeze;
}

}  // namespace mercer

#include <algorithm>

#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Joins values along an axis. Constants may be among them: a bias written as an input that never changes.

namespace mercer {
namespace {

// Where one row of the result comes from.
struct Source {
  bool constant;
  float number;
  std::size_t offset;
};

void join_constants(GraphBuilder& builder, const Node& node, const std::vector<Value>& parts) {
  const std::size_t axis = resolve_axis(builder, node, parts[0], node.number("axis", 0));
  Tensor out{parts[0].shape, {}};
  out.shape[axis] = 0;
  std::size_t outer = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= out.shape[d];
  for (const Value& part : parts) {
    for (std::size_t d = 0; d < std::max(part.shape.size(), out.shape.size()); ++d) {
      if (part.shape.size() != out.shape.size() || (d != axis && part.shape[d] != parts[0].shape[d])) {
        builder.refuse(node, "joins constants of different shapes");
      }
    }
    out.shape[axis] += part.shape[axis];
  }
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Value& part : parts) {
      const std::size_t run = part.rows() / std::max<std::size_t>(outer, 1);
      out.data.insert(out.data.end(), part.data.begin() + static_cast<std::ptrdiff_t>(o * run),
                      part.data.begin() + static_cast<std::ptrdiff_t>((o + 1) * run));
    }
  }
  builder.make_constant(node, 0, std::move(out));
}

void build_concat(GraphBuilder& builder, const Node& node) {
  std::vector<Value> parts;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) parts.push_back(builder.input(node, i));
  const auto batch = std::ranges::find_if(parts, [](const Value& part) { return !part.constant; });
  if (parts.empty()) builder.refuse(node, "joins nothing");
  if (batch == parts.end()) return join_constants(builder, node, parts);

  const std::size_t axis = resolve_axis(builder, node, *batch, node.number("axis", 0));
  Shape shape = batch->shape;
  shape[axis] = 0;
  for (Value& part : parts) {
    if (part.constant && part.shape.size() == shape.size() + 1 && part.shape[0] == 1)
      part.shape.erase(part.shape.begin());
    bool fits = part.shape.size() == shape.size();
    for (std::size_t d = 0; fits && d < shape.size(); ++d) fits = d == axis || part.shape[d] == batch->shape[d];
    if (!fits) builder.refuse(node, "joins values of different shapes");
    builder.check_known(node, part.data);
    shape[axis] += part.shape[axis];
  }
  const std::size_t outer = size_of({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
  std::vector<Source> sources;
  for (std::size_t o = 0; o < outer; ++o) {
    for (const Value& part : parts) {
      const std::size_t run = part.rows() / outer;
      for (std::size_t r = o * run; r < (o + 1) * run; ++r) {
        sources.push_back(
            {part.constant, part.constant ? static_cast<float>(part.data[r]) : 0, part.offset + r * tile_columns});
      }
    }
  }
  const std::size_t to = builder.make_output(node, 0, shape);
  builder.add_step([=](float* memory) {
    float* out = memory + to;
    for (const Source& source : sources) {
      if (source.constant) {
        std::fill_n(out, tile_columns, source.number);
      } else {
        std::copy_n(memory + source.offset, tile_columns, out);
      }
      out += tile_columns;
    }
  });
}

}  // namespace

void add_concat_operation(OperationTable& table) { table["Concat"] = build_concat; }

}  // namespace mercer

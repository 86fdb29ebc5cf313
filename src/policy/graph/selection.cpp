#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Operations that pick, join and reorder numbers.

namespace mercer {
namespace {

// The elements of `shape` at `indices` along an axis, in row-major order.
std::vector<std::size_t> rows_along(const Shape& shape, std::size_t axis, const std::vector<std::size_t>& indices) {
  const std::size_t inner = size_of({shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, shape.end()});
  const std::size_t outer = size_of({shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(axis)});
  std::vector<std::size_t> rows;
  rows.reserve(outer * indices.size() * inner);
  for (std::size_t o = 0; o < outer; ++o) {
    for (const std::size_t index : indices) {
      for (std::size_t i = 0; i < inner; ++i) rows.push_back((o * shape[axis] + index) * inner + i);
    }
  }
  return rows;
}

Shape with_extent(Shape shape, std::size_t axis, std::size_t extent) {
  shape[axis] = extent;
  return shape;
}

void build_split(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const std::size_t axis = resolve_axis(builder, node, in, node.number("axis", 0));
  std::vector<double> sizes = builder.list(node, 1, "split", {});
  if (sizes.empty()) {  // equal parts, the last one smaller
    const std::size_t part = (in.shape[axis] + node.outputs.size() - 1) / node.outputs.size();
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const std::size_t begin = std::min(i * part, in.shape[axis]);
      sizes.push_back(static_cast<double>(std::min(part, in.shape[axis] - begin)));
    }
  }
  std::size_t begin = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t size = to_integer(builder, node, sizes[i]);
    if (size < 1 || static_cast<std::size_t>(size) > in.shape[axis] - begin) {
      builder.refuse(node, fmt::format("splits off {} of {}", size, in.shape[axis] - begin));
    }
    std::vector<std::size_t> indices(static_cast<std::size_t>(size));
    std::iota(indices.begin(), indices.end(), begin);
    begin += indices.size();
    builder.make_selection(node, i, in, with_extent(in.shape, axis, indices.size()),
                           rows_along(in.shape, axis, indices));
  }
  if (begin != in.shape[axis]) builder.refuse(node, fmt::format("splits only {} of {}", begin, in.shape[axis]));
}

// start:end:step of an axis, as Python counts.
std::vector<std::size_t> slice_indices(const GraphBuilder& builder, const Node& node, std::size_t extent,
                                       std::int64_t start, std::int64_t end, std::int64_t step) {
  const auto size = static_cast<std::int64_t>(extent);
  if (step == 0) builder.refuse(node, "slices with step 0");
  if (extent == 0) return {};
  if (start < 0) start += size;
  if (end < 0) end += size;
  start = std::clamp(start, std::int64_t{0}, step > 0 ? size : size - 1);
  end = std::clamp(end, step > 0 ? std::int64_t{0} : std::int64_t{-1}, size);
  std::vector<std::size_t> indices;
  for (std::int64_t i = start; step > 0 ? i < end : i > end;) {
    indices.push_back(static_cast<std::size_t>(i));
    if (step > size || step < -size) break;  // the next one is outside, and adding might overflow
    i += step;
  }
  return indices;
}

void build_slice(GraphBuilder& builder, const Node& node) {
  Value in = builder.input(node, 0);
  const std::vector<double> starts = builder.list(node, 1, "starts", {});
  const std::vector<double> ends = builder.list(node, 2, "ends", {});
  std::vector<double> standard(starts.size());
  std::iota(standard.begin(), standard.end(), 0.0);
  const std::vector<double> axes = builder.list(node, 3, "axes", standard);
  const std::vector<double> steps = builder.constant_input(node, 4, std::vector<double>(starts.size(), 1));
  if (starts.size() != ends.size() || starts.size() != axes.size() || starts.size() != steps.size()) {
    builder.refuse(node, "has starts, ends, axes and steps of different lengths");
  }
  if (axes.size() > in.shape.size() + 1) builder.refuse(node, "slices an axis twice");
  std::vector<std::size_t> rows(in.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  Shape shape = in.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::int64_t start = to_integer(builder, node, starts[i]), end = to_integer(builder, node, ends[i]);
    const std::int64_t step = to_integer(builder, node, steps[i]);
    const bool everything = start == 0 && step == 1 && end > (std::int64_t{1} << 30);
    if (!in.constant && axes[i] == 0 && everything) continue;  // of the batch
    const std::size_t axis = resolve_axis(builder, node, in, axes[i]);
    const auto indices = slice_indices(builder, node, shape[axis], start, end, step);
    std::vector<std::size_t> kept;
    for (const std::size_t row : rows_along(shape, axis, indices)) kept.push_back(rows[row]);
    rows = kept;
    shape[axis] = indices.size();
  }
  builder.make_selection(node, 0, in, shape, rows);
}

void build_gather(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const Value which = builder.input(node, 1);
  if (!which.constant || which.shape.size() > 1) builder.refuse(node, "needs a constant list of indices");
  const std::size_t axis = resolve_axis(builder, node, in, node.number("axis", 0));
  std::vector<std::size_t> indices;
  for (const double number : which.data) {
    std::int64_t index = to_integer(builder, node, number);
    if (index < 0) index += static_cast<std::int64_t>(in.shape[axis]);
    if (index < 0 || index >= static_cast<std::int64_t>(in.shape[axis])) {
      builder.refuse(node, fmt::format("takes index {} of {}", number, in.shape[axis]));
    }
    indices.push_back(static_cast<std::size_t>(index));
  }
  const double made =
      static_cast<double>(in.rows() / std::max<std::size_t>(in.shape[axis], 1)) * static_cast<double>(indices.size());
  if (made > static_cast<double>(most_folded)) {
    builder.refuse(node, fmt::format("makes more than {} numbers", most_folded));
  }
  Shape shape = with_extent(in.shape, axis, indices.size());
  if (which.shape.empty()) shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  builder.make_selection(node, 0, in, shape, rows_along(in.shape, axis, indices));
}

void build_transpose(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  const std::size_t batch = in.constant ? 0 : 1, rank = in.shape.size() + batch;
  std::vector<double> order = builder.list(node, 1, "perm", {});
  if (order.empty()) {
    for (std::size_t d = rank; d-- > 0;) order.push_back(static_cast<double>(d));
  }
  if (order.size() != rank || (batch == 1 && order[0] != 0)) builder.refuse(node, "moves the batch axis");
  std::vector<std::size_t> from;
  Shape shape;
  for (std::size_t d = batch; d < rank; ++d) {
    from.push_back(resolve_axis(builder, node, in, order[d]));
    shape.push_back(in.shape[from.back()]);
  }
  if (Shape sorted = from; std::ranges::sort(sorted), std::ranges::adjacent_find(sorted) != sorted.end()) {
    builder.refuse(node, "names an axis twice");
  }
  Shape strides(in.shape.size(), 1);
  for (std::size_t d = strides.size(); d-- > 1;) strides[d - 1] = strides[d] * in.shape[d];
  std::vector<std::size_t> rows(in.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t d = shape.size(); d-- > 0;) {
      rows[i] += rest % shape[d] * strides[from[d]];
      rest /= shape[d];
    }
  }
  builder.make_selection(node, 0, in, shape, rows);
}

// Where one row of joined values comes from. Constants may be among them: a bias written as an input that never
// changes.
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

void add_selection_operations(OperationTable& table) {
  table["Split"] = build_split;
  table["Slice"] = build_slice;
  table["Gather"] = build_gather;
  table["Transpose"] = build_transpose;
  table["Concat"] = build_concat;
}

}  // namespace mercer

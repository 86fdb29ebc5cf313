#include "policy/graph/graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "io/limits.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Far beyond any policy, and what a thread's memory can hold: 256 MB of tiles, 512 MB of constants.
constexpr std::size_t most_rows = limits::graph_rows;
constexpr std::size_t most_constants = limits::graph_constants;
constexpr std::size_t most_axes = limits::graph_axes;
// Times that a network may use each number of its file; a sequence model uses its weights for every place.
constexpr double most_uses = limits::graph_uses;

const OperationTable& operations() {
  static const OperationTable table = [] {
    OperationTable all;
    add_elementwise_operations(all);
    add_linear_operations(all);
    add_shape_operations(all);
    add_selection_operations(all);
    add_reduction_operations(all);
    return all;
  }();
  return table;
}

// Like the size, but an axis of size zero does not hide the others: loops over those would still run.
std::size_t places_of(const Shape& shape) {
  std::size_t places = 1;
  for (const std::size_t extent : shape) places *= std::max<std::size_t>(extent, 1);
  return places;
}

}  // namespace

std::size_t size_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

double Node::number(const std::string& key, double standard) const {
  const auto found = numbers.find(key);
  return found == numbers.end() || found->second.empty() ? standard : found->second[0];
}

std::vector<std::string> known_operations() {
  std::vector<std::string> names;
  for (const auto& [name, build] : operations()) names.push_back(name);
  return names;
}

void GraphBuilder::refuse(const Node& node, const std::string& why) const {
  const std::string& name = node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
  throw Error(ErrorCode::bad_format, fmt::format("'{}': node '{}' ({}) {}", where_, name, node.op, why),
              "Export the network with the operators that docs/guide/policies.md lists");
}

void GraphBuilder::add_input(const std::string& name, const Shape& shape) {
  const std::size_t offset = make_output({"input", name, {}, {name}}, 0, shape);
  graph_.inputs.push_back({name, size_of(shape)});
  graph_.input_offsets.push_back(offset);
}

void GraphBuilder::add_constant(const std::string& name, Tensor tensor) {
  allowed_ += most_uses * static_cast<double>(tensor.data.size());
  make_constant({"constant", name, {}, {name}}, 0, std::move(tensor));
}

void GraphBuilder::add_node(const Node& node) {
  const auto found = operations().find(node.op);
  if (found == operations().end()) refuse(node, "is an operator that is not supported");
  if (node.outputs.empty()) refuse(node, "has no output");
  for (const auto& [key, tensor] : node.tensors) allowed_ += most_uses * static_cast<double>(tensor.data.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    if (has(node, i)) spend(node, static_cast<double>(places_of(input(node, i).shape)));
  }
  found->second(*this, node);
}

void GraphBuilder::add_output(const std::string& name) {
  const auto found = values_.find(name);
  if (found == values_.end()) {
    throw Error(ErrorCode::bad_format, fmt::format("'{}': nothing makes the output '{}'", where_, name),
                "Export the network again");
  }
  std::size_t offset = found->second.offset;
  if (found->second.constant) {  // such as the log_std of PPO, the same in every state
    Node node{"output", name, {}, {name + " for each column"}};
    const std::vector<double> data = found->second.data;
    check_known(node, data);
    Shape shape = found->second.shape;
    if (!shape.empty() && shape[0] == 1) shape.erase(shape.begin());
    offset = make_output(node, 0, shape);
    add_step([=](float* memory) {
      for (std::size_t r = 0; r < data.size(); ++r) {
        std::fill_n(memory + offset + r * tile_columns, tile_columns, static_cast<float>(data[r]));
      }
    });
  }
  graph_.outputs.push_back({name, found->second.rows()});
  graph_.output_offsets.push_back(offset);
}

const Value& GraphBuilder::input(const Node& node, std::size_t index) const {
  if (!has(node, index)) refuse(node, fmt::format("lacks input {}", index));
  const auto found = values_.find(node.inputs[index]);
  if (found == values_.end()) {
    refuse(node,
           fmt::format("reads '{}', which nothing before it makes (a cycle, or out of order)", node.inputs[index]));
  }
  return found->second;
}

std::vector<double> GraphBuilder::constant_input(const Node& node, std::size_t index,
                                                 std::vector<double> standard) const {
  if (!has(node, index)) return standard;
  const Value& value = input(node, index);
  if (!value.constant) refuse(node, fmt::format("needs a constant as input {}", index));
  return value.data;
}

std::vector<double> GraphBuilder::list(const Node& node, std::size_t index, const std::string& key,
                                       std::vector<double> standard) const {
  const auto found = node.numbers.find(key);
  if (found != node.numbers.end()) return found->second;
  return constant_input(node, index, std::move(standard));
}

void GraphBuilder::spend(const Node& node, double numbers) {
  spent_ += numbers;
  if (spent_ > allowed_) {
    refuse(node,
           fmt::format("is one too many: the network handles {:.3g} numbers; legal for a file of this size: {:.3g}",
                       spent_, allowed_));
  }
}

void GraphBuilder::check_known(const Node& node, const std::vector<double>& constant) const {
  if (std::ranges::any_of(constant, [](double number) { return std::isnan(number); })) {
    refuse(node, "computes with a number that is not known: it depends on the size of the batch, or is nan");
  }
}

Value& GraphBuilder::make_value(const Node& node, std::size_t index, const Shape& shape) {
  if (index >= node.outputs.size()) refuse(node, fmt::format("lacks output {}", index));
  std::size_t places = 1;
  for (const std::size_t extent : shape) {
    const std::size_t least = std::max<std::size_t>(extent, 1);
    if (shape.size() > most_axes || least > most_constants / places) {
      refuse(node, fmt::format("makes a value of {} axes, one of size {}; legal: up to {} axes and {} numbers",
                               shape.size(), extent, most_axes, most_constants));
    }
    places *= least;
  }
  const auto [place, made] = values_.try_emplace(node.outputs[index]);
  if (!made) refuse(node, fmt::format("makes '{}' a second time", node.outputs[index]));
  place->second.shape = shape;
  return place->second;
}

std::size_t GraphBuilder::make_output(const Node& node, std::size_t index, const Shape& shape) {
  const std::size_t rows = size_of(shape);
  const std::size_t taken = graph_.memory / tile_columns;
  if (rows == 0 || rows > most_rows - taken) {
    refuse(node, fmt::format("makes {} numbers for each state; legal: 1 to {} in the whole network", rows, most_rows));
  }
  Value& value = make_value(node, index, shape);
  value.offset = graph_.memory;
  graph_.memory += rows * tile_columns;
  return value.offset;
}

void GraphBuilder::make_constant(const Node& node, std::size_t index, Tensor tensor) {
  if (tensor.data.size() > most_constants - constants_) {
    refuse(node, fmt::format("makes {} constants; legal: {} in the whole network", tensor.data.size(), most_constants));
  }
  constants_ += tensor.data.size();
  Value& value = make_value(node, index, tensor.shape);
  value.constant = true;
  value.data = std::move(tensor.data);
}

void GraphBuilder::make_selection(const Node& node, std::size_t index, const Value& in, const Shape& shape,
                                  const std::vector<std::size_t>& rows) {
  if (in.constant) {
    Tensor out{shape, {}};
    out.data.reserve(rows.size());
    for (const std::size_t row : rows) out.data.push_back(in.data[row]);
    return make_constant(node, index, std::move(out));
  }
  if (rows.empty()) refuse(node, "selects nothing");
  bool together = true;
  for (std::size_t r = 0; r < rows.size(); ++r) together &= rows[r] == rows[0] + r;
  if (together) {
    const std::size_t offset = in.offset + rows[0] * tile_columns;
    make_value(node, index, shape).offset = offset;
    return;
  }
  const std::size_t to = make_output(node, index, shape);
  add_step([=, from = in.offset](float* memory) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::copy_n(memory + from + rows[r] * tile_columns, tile_columns, memory + to + r * tile_columns);
    }
  });
}

std::size_t resolve_axis(const GraphBuilder& builder, const Node& node, const Value& value, double axis) {
  const double batch = value.constant ? 0 : 1;
  const double rank = static_cast<double>(value.shape.size()) + batch;
  const double place = (axis < 0 ? axis + rank : axis) - batch;
  if (!(place >= 0 && place < static_cast<double>(value.shape.size()))) {
    builder.refuse(node, fmt::format("works along axis {}, which is the batch or none of its {} axes", axis, rank));
  }
  return static_cast<std::size_t>(to_integer(builder, node, place));
}

std::int64_t to_integer(const GraphBuilder& builder, const Node& node, double number) {
  if (!(std::abs(number) <= 9.3e18) || number != std::floor(number)) {
    builder.refuse(node, fmt::format("needs an integer and is given {} (a size that depends on the batch?)", number));
  }
  constexpr double most = 0x1p62;  // ends of slices are often the largest number there is
  return static_cast<std::int64_t>(std::clamp(number, -most, most));
}

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

#include <algorithm>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Operations that look along an axis: sums, means, extremes, softmax, layer normalisation.

namespace mercer {
namespace {

using Numbers = Eigen::Array<float, tile_columns, 1>;
using Row = Eigen::Map<Numbers, Eigen::Aligned64>;

// The elements of a value in groups: those that are looked at together.
struct Groups {
  std::vector<std::vector<std::size_t>> rows;
  Shape shape;  // with the axes that were looked along at size one
};

Groups group_along(const Shape& shape, const std::vector<bool>& along) {
  Groups groups{{}, shape};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (along[d]) groups.shape[d] = 1;
  }
  groups.rows.resize(size_of(groups.shape));
  const auto group_of = broadcast_rows(groups.shape, shape);
  for (std::size_t r = 0; r < group_of.size(); ++r) groups.rows[group_of[r]].push_back(r);
  return groups;
}

std::vector<bool> axes_of(const GraphBuilder& builder, const Node& node, const Value& in,
                          const std::vector<double>& axes) {
  if (axes.empty()) builder.refuse(node, "reduces the batch axis too");
  std::vector<bool> along(in.shape.size());
  for (const double axis : axes) along[resolve_axis(builder, node, in, axis)] = true;
  return along;
}

// `start` begins an accumulator, `add` takes a row in, `finish` makes the result of it and the number of rows.
template <class Add, class Finish>
void build_reduction(GraphBuilder& builder, const Node& node, float start, Add add, Finish finish) {
  const Value in = builder.input(node, 0);
  if (in.constant) builder.refuse(node, "reduces a constant");
  const auto along = axes_of(builder, node, in, builder.list(node, 1, "axes", {}));
  const Groups groups = group_along(in.shape, along);
  Shape shape;
  const bool keep = node.number("keepdims", 1) != 0;
  for (std::size_t d = 0; d < in.shape.size(); ++d) {
    if (keep || !along[d]) shape.push_back(groups.shape[d]);
  }
  const std::size_t to = builder.make_output(node, 0, shape);
  builder.add_step([=, from = in.offset, rows = groups.rows](float* memory) {
    for (std::size_t g = 0; g < rows.size(); ++g) {
      Numbers all = Numbers::Constant(start);
      for (const std::size_t r : rows[g]) add(all, Row(memory + from + r * tile_columns));
      Row(memory + to + g * tile_columns) = finish(all, static_cast<float>(rows[g].size()));
    }
  });
}

// The place of the first largest number. Only useful as a discrete action, so it stays a float.
void build_argmax(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  if (in.constant || in.shape.size() != 1) builder.refuse(node, "is supported along the only axis of a batch");
  resolve_axis(builder, node, in, node.number("axis", 0));
  if (node.number("select_last_index", 0) != 0) builder.refuse(node, "takes the last of equals");
  const std::size_t to = builder.make_output(node, 0, node.number("keepdims", 1) != 0 ? Shape{1} : Shape{});
  builder.add_step([=, from = in.offset, rows = in.rows()](float* memory) {
    Row out(memory + to);
    out.setZero();
    Numbers best = Row(memory + from);
    for (std::size_t r = 1; r < rows; ++r) {
      const Row row(memory + from + r * tile_columns);
      out = (row > best).select(Numbers::Constant(static_cast<float>(r)), out);
      best = best.max(row);
    }
  });
}

void build_softmax(GraphBuilder& builder, const Node& node, bool logarithm) {
  const Value in = builder.input(node, 0);
  if (in.constant) builder.refuse(node, "is applied to a constant");
  std::vector<bool> along(in.shape.size());
  // Up to operator set 12 all axes from the given one on are taken together.
  const bool old = builder.operator_set() < 13;
  const std::size_t axis = resolve_axis(builder, node, in, node.number("axis", old ? 1 : -1));
  for (std::size_t d = axis; d < (old ? along.size() : axis + 1); ++d) along[d] = true;
  const std::size_t to = builder.make_output(node, 0, in.shape);
  builder.add_step([=, from = in.offset, rows = group_along(in.shape, along).rows](float* memory) {
    for (const auto& group : rows) {
      Numbers most = Row(memory + from + group[0] * tile_columns);
      for (const std::size_t r : group) most = most.max(Row(memory + from + r * tile_columns));
      Numbers total = Numbers::Zero();
      for (const std::size_t r : group) total += (Row(memory + from + r * tile_columns) - most).exp();
      for (const std::size_t r : group) {
        const Numbers shifted = Row(memory + from + r * tile_columns) - most;
        Row out(memory + to + r * tile_columns);
        if (logarithm) out = shifted - total.log();
        if (!logarithm) out = shifted.exp() / total;
      }
    }
  });
}

// (x - mean) / sqrt(variance + epsilon) * scale + bias over all axes from `axis` on.
void build_layer_normalization(GraphBuilder& builder, const Node& node) {
  const Value in = builder.input(node, 0);
  if (in.constant) builder.refuse(node, "is applied to a constant");
  const std::size_t axis = resolve_axis(builder, node, in, node.number("axis", -1));
  std::vector<bool> along(in.shape.size());
  for (std::size_t d = axis; d < along.size(); ++d) along[d] = true;
  const auto rows = group_along(in.shape, along).rows;
  const std::vector<double> scale = builder.constant_input(node, 1, std::vector<double>(rows[0].size(), 1));
  const std::vector<double> bias = builder.constant_input(node, 2, std::vector<double>(rows[0].size(), 0));
  if (scale.size() != rows[0].size() || bias.size() != rows[0].size()) {
    builder.refuse(
        node, fmt::format("has {} scales and {} biases for {} numbers", scale.size(), bias.size(), rows[0].size()));
  }
  builder.check_known(node, scale);
  builder.check_known(node, bias);
  const auto epsilon = static_cast<float>(node.number("epsilon", 1e-5));
  const std::size_t to = builder.make_output(node, 0, in.shape);
  builder.add_step([=, from = in.offset](float* memory) {
    for (const auto& group : rows) {
      const float share = 1.0F / static_cast<float>(group.size());
      Numbers mean = Numbers::Zero(), variance = Numbers::Zero();
      for (const std::size_t r : group) mean += Row(memory + from + r * tile_columns);
      mean *= share;
      for (const std::size_t r : group) variance += (Row(memory + from + r * tile_columns) - mean).square();
      const Numbers factor = (variance * share + epsilon).rsqrt();
      for (std::size_t i = 0; i < group.size(); ++i) {
        Row(memory + to + group[i] * tile_columns) =
            (Row(memory + from + group[i] * tile_columns) - mean) * factor * static_cast<float>(scale[i]) +
            static_cast<float>(bias[i]);
      }
    }
  });
}

}  // namespace

void add_reduction_operations(OperationTable& table) {
  static constexpr auto sum = [](Numbers& all, const Row& row) { all += row; };
  static constexpr auto as_it_is = [](const Numbers& all, float) { return all; };
  table["ReduceSum"] = [](GraphBuilder& b, const Node& n) { build_reduction(b, n, 0, sum, as_it_is); };
  table["ReduceMean"] = [](GraphBuilder& b, const Node& n) {
    build_reduction(b, n, 0, sum, [](const Numbers& all, float count) { return (all / count).eval(); });
  };
  table["ReduceMax"] = [](GraphBuilder& b, const Node& n) {
    build_reduction(
        b, n, -HUGE_VALF, [](Numbers& all, const Row& row) { all = all.max(row); }, as_it_is);
  };
  table["ReduceMin"] = [](GraphBuilder& b, const Node& n) {
    build_reduction(
        b, n, HUGE_VALF, [](Numbers& all, const Row& row) { all = all.min(row); }, as_it_is);
  };
  table["ReduceL2"] = [](GraphBuilder& b, const Node& n) {
    build_reduction(
        b, n, 0, [](Numbers& all, const Row& row) { all += row.square(); },
        [](const Numbers& all, float) { return all.sqrt().eval(); });
  };
  table["ArgMax"] = build_argmax;
  table["Softmax"] = [](GraphBuilder& b, const Node& n) { build_softmax(b, n, false); };
  table["LogSoftmax"] = [](GraphBuilder& b, const Node& n) { build_softmax(b, n, true); };
  table["LayerNormalization"] = build_layer_normalization;
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Core>
#include <fmt/format.h>

#include "policy/graph/graph.hpp"

// Operations that treat every number by itself. Each is a function of arrays: of tiles when the network runs, of single
// numbers when a constant is folded.

namespace mercer {
namespace {

using Numbers = Eigen::Array<float, tile_columns, 1>;
using Row = Eigen::Map<Numbers, Eigen::Aligned64>;
using One = Eigen::Array<float, 1, 1>;

template <class Function>
void build_unary(GraphBuilder& builder, const Node& node, Function function) {
  const Value in = builder.input(node, 0);
  if (in.constant) {
    Tensor out{in.shape, in.data};
    for (double& value : out.data) {
      if (!std::isnan(value)) value = function(One(static_cast<float>(value)))(0);
    }
    return builder.make_constant(node, 0, std::move(out));
  }
  const std::size_t to = builder.make_output(node, 0, in.shape);
  builder.add_step([=, from = in.offset, rows = in.rows()](float* memory) {
    for (std::size_t r = 0; r < rows; ++r) {
      Row(memory + to + r * tile_columns) = function(Row(memory + from + r * tile_columns));
    }
  });
}

template <class Function>
void build_binary(GraphBuilder& builder, const Node& node, Function function) {
  const Value a = builder.input(node, 0);
  const Value b = builder.input(node, 1);
  const Broadcast both = broadcast(builder, node, a, b);
  if (a.constant && b.constant) {
    Tensor out{both.shape, {}};
    for (std::size_t i = 0; i < both.rows_a.size(); ++i) {
      const double x = a.data[both.rows_a[i]], y = b.data[both.rows_b[i]];
      const bool known = !std::isnan(x) && !std::isnan(y);  // what is not known stays so, even in max(nan, 1)
      out.data.push_back(known ? function(One(static_cast<float>(x)), One(static_cast<float>(y)))(0) : std::nan(""));
    }
    return builder.make_constant(node, 0, std::move(out));
  }
  builder.check_known(node, a.data);
  builder.check_known(node, b.data);
  // Each row of an operand is at memory + offset, or is one number.
  struct Operand {
    std::vector<std::size_t> offsets;
    std::vector<float> numbers;
  };
  const auto operand = [](const Value& value, const std::vector<std::size_t>& rows) {
    Operand made;
    for (const std::size_t row : rows) {
      if (value.constant) made.numbers.push_back(static_cast<float>(value.data[row]));
      if (!value.constant) made.offsets.push_back(value.offset + row * tile_columns);
    }
    return made;
  };
  const std::size_t to = builder.make_output(node, 0, both.shape);
  builder.add_step([=, x = operand(a, both.rows_a), y = operand(b, both.rows_b)](float* memory) {
    for (std::size_t r = 0; r < std::max(x.offsets.size(), y.offsets.size()); ++r) {
      Row out(memory + to + r * tile_columns);
      if (x.offsets.empty()) {
        out = function(Numbers::Constant(x.numbers[r]).eval(), Row(memory + y.offsets[r]));
      } else if (y.offsets.empty()) {
        out = function(Row(memory + x.offsets[r]), Numbers::Constant(y.numbers[r]).eval());
      } else {
        out = function(Row(memory + x.offsets[r]), Row(memory + y.offsets[r]));
      }
    }
  });
}

// Min and Max take any number of inputs: the first two, then the result with the third, and so on.
template <class Function>
void build_many(GraphBuilder& builder, const Node& node, Function function) {
  if (node.inputs.size() < 2) return build_unary(builder, node, [](const auto& x) { return x.eval(); });
  std::string left = node.inputs[0];
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    Node pair{node.op, node.name, {left, node.inputs[i]}, {node.outputs[0]}};
    if (i + 1 < node.inputs.size()) pair.outputs[0] += fmt::format(" of {}", i + 1);
    left = pair.outputs[0];
    build_binary(builder, pair, function);
  }
}

void build_clip(GraphBuilder& builder, const Node& node) {
  constexpr double most = std::numeric_limits<float>::max();
  const auto bound = [&](std::size_t index, const char* key, double standard) {
    const std::vector<double> given = builder.list(node, index, key, {standard});
    if (given.size() != 1) builder.refuse(node, "has a bound that is not one number");
    builder.check_known(node, given);
    return static_cast<float>(std::clamp(given[0], -most, most));
  };
  const float low = bound(1, "min", -most), high = bound(2, "max", most);
  build_unary(builder, node, [=](const auto& x) { return x.max(low).min(high).eval(); });
}

}  // namespace

void add_elementwise_operations(OperationTable& table) {
#define MERCER_UNARY(name, expression)                                    \
  table[name] = [](GraphBuilder& b, const Node& n) {                      \
    build_unary(b, n, [](const auto& x) { return (expression).eval(); }); \
  }
#define MERCER_BINARY(name, expression)                                                   \
  table[name] = [](GraphBuilder& b, const Node& n) {                                      \
    build_binary(b, n, [](const auto& x, const auto& y) { return (expression).eval(); }); \
  }
// One parameter `p`: an attribute of the node with its default.
#define MERCER_TUNED(name, key, standard, expression)                      \
  table[name] = [](GraphBuilder& b, const Node& n) {                       \
    const auto p = static_cast<float>(n.number(key, standard));            \
    build_unary(b, n, [=](const auto& x) { return (expression).eval(); }); \
  }
  MERCER_UNARY("Relu", x.max(0.0F));
  MERCER_UNARY("Tanh", x.tanh());
  MERCER_UNARY("Sigmoid", 0.5F * (0.5F * x).tanh() + 0.5F);
  MERCER_UNARY("Softplus", x.max(0.0F) + (-x.abs()).exp().log1p());
  MERCER_UNARY("Softsign", x / (1.0F + x.abs()));
  MERCER_UNARY("HardSwish", x * (x / 6.0F + 0.5F).max(0.0F).min(1.0F));
  MERCER_UNARY("Erf", x.unaryExpr([](float v) { return std::erf(v); }));
  MERCER_UNARY("Exp", x.exp());
  MERCER_UNARY("Log", x.log());
  MERCER_UNARY("Sqrt", x.sqrt());
  MERCER_UNARY("Reciprocal", 1.0F / x);
  MERCER_UNARY("Abs", x.abs());
  MERCER_UNARY("Neg", -x);
  MERCER_UNARY("Sign", x.sign());
  MERCER_UNARY("Sin", x.sin());
  MERCER_UNARY("Cos", x.cos());
  MERCER_TUNED("LeakyRelu", "alpha", 0.01, x.max(0.0F) + p * x.min(0.0F));
  MERCER_TUNED("Elu", "alpha", 1, x.max(0.0F) + p * x.min(0.0F).expm1());
  MERCER_TUNED("Celu", "alpha", 1, x.max(0.0F) + p * (x.min(0.0F) / p).expm1());
  MERCER_BINARY("Add", x + y);
  MERCER_BINARY("Sub", x - y);
  MERCER_BINARY("Mul", x * y);
  MERCER_BINARY("Div", x / y);
  MERCER_BINARY("Pow", x.pow(y));
  MERCER_BINARY("PRelu", x.max(0.0F) + y * x.min(0.0F));
#undef MERCER_UNARY
#undef MERCER_BINARY
#undef MERCER_TUNED
  table["Min"] = [](GraphBuilder& b, const Node& n) {
    build_many(b, n, [](const auto& x, const auto& y) { return x.min(y).eval(); });
  };
  table["Max"] = [](GraphBuilder& b, const Node& n) {
    build_many(b, n, [](const auto& x, const auto& y) { return x.max(y).eval(); });
  };
  table["Selu"] = [](GraphBuilder& b, const Node& n) {
    const auto alpha = static_cast<float>(n.number("alpha", 1.67326319217681884765625));
    const auto gamma = static_cast<float>(n.number("gamma", 1.05070102214813232421875));
    build_unary(b, n, [=](const auto& x) { return (gamma * (x.max(0.0F) + alpha * x.min(0.0F).expm1())).eval(); });
  };
  table["HardSigmoid"] = [](GraphBuilder& b, const Node& n) {
    const auto alpha = static_cast<float>(n.number("alpha", 0.2)), beta = static_cast<float>(n.number("beta", 0.5));
    build_unary(b, n, [=](const auto& x) { return (alpha * x + beta).max(0.0F).min(1.0F).eval(); });
  };
  table["Clip"] = build_clip;
}

}  // namespace mercer

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/limits.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// Columns that a graph is evaluated for at once: one of the widest vectors, two or four of narrower ones, so that few
/// are wasted on a small batch. With a remainder, the last columns of a tile would be computed by other instructions
/// and differ in their last bits from the first.
inline constexpr std::size_t tile_columns = 16;

/// More is no policy, and fewer views fit on the stack.
inline constexpr std::size_t most_network_outputs = limits::graph_outputs;

/// What one operation may make of constants: beyond any policy, and quick to do.
inline constexpr std::size_t most_folded = limits::graph_folded;

using Shape = std::vector<std::size_t>;
std::size_t size_of(const Shape& shape);

/// Numbers that are the same for every column.
struct Tensor {
  Shape shape;
  std::vector<double> data;
};

/// A value of the graph: a constant, or a number of rows that each column has its own copy of. `shape` is without the
/// batch axis; rows are its elements in row-major order.
struct Value {
  bool constant = false;
  Shape shape = {};
  std::vector<double> data = {};  ///< of a constant
  std::size_t offset = 0;         ///< of a batch value's tile in a thread's memory, in floats

  std::size_t rows() const { return size_of(shape); }
};

/// A network ready to run: steps that each read and write tiles (rows x tile_columns, row-major) in one piece of
/// memory.
struct Graph {
  using Step = std::function<void(float* memory)>;

  std::vector<Network::Port> inputs, outputs;
  std::vector<std::size_t> input_offsets, output_offsets;
  std::vector<Step> steps;
  std::size_t memory = 0;  ///< floats
};

/// One operation as a file states it.
struct Node {
  std::string op;
  std::string name;  ///< for messages
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::map<std::string, std::vector<double>> numbers = {};  ///< attributes that are numbers or lists of them
  std::map<std::string, Tensor> tensors = {};               ///< attributes that are tensors

  double number(const std::string& key, double standard) const;
};

/// Turns nodes, one after the other, into a graph.
///
/// What every value is, a constant or a batch of columns, is known from the start. Operations on constants are done
/// here and now; the rest become steps. Values are written once and their memory is never used again for another, so
/// an operation that only renames rows (a reshape, a split) costs nothing.
class GraphBuilder {
 public:
  /// `operator_set` is the version of the operators' definitions that the file asks for.
  GraphBuilder(std::string where, std::int64_t operator_set) : where_(std::move(where)), operator_set_(operator_set) {}

  void add_input(const std::string& name, const Shape& shape);
  void add_constant(const std::string& name, Tensor tensor);
  /// Throws `bad_format` for an operation that is unknown, used in a way that is not supported, or out of order.
  void add_node(const Node& node);
  void add_output(const std::string& name);
  Graph finish() { return std::move(graph_); }

  // For the operations.
  std::int64_t operator_set() const { return operator_set_; }
  static bool has(const Node& node, std::size_t input) {
    return input < node.inputs.size() && !node.inputs[input].empty();
  }
  const Value& input(const Node& node, std::size_t index) const;
  /// A constant input, or `standard` when it is not given.
  std::vector<double> constant_input(const Node& node, std::size_t index, std::vector<double> standard) const;
  /// A list that newer operator sets give as input `index` and older ones as attribute `key`; `standard` when absent.
  std::vector<double> list(const Node& node, std::size_t index, const std::string& key,
                           std::vector<double> standard) const;
  /// Memory for output `index`, and where it is; the caller adds the step that fills it.
  std::size_t make_output(const Node& node, std::size_t index, const Shape& shape);
  void make_constant(const Node& node, std::size_t index, Tensor tensor);
  /// Output `index` is these rows of `in`, in this order.
  void make_selection(const Node& node, std::size_t index, const Value& in, const Shape& shape,
                      const std::vector<std::size_t>& rows);
  /// Counts numbers, or multiplications, that are to be done for this node. Refuses a network that makes so many out of
  /// a small file: what it costs stays in proportion to its size.
  void spend(const Node& node, double numbers);
  /// Refuses a constant with numbers that are not known, such as the size of the batch.
  void check_known(const Node& node, const std::vector<double>& constant) const;
  void add_step(Graph::Step step) { graph_.steps.push_back(std::move(step)); }
  [[noreturn]] void refuse(const Node& node, const std::string& why) const;

 private:
  Value& make_value(const Node& node, std::size_t index, const Shape& shape);

  std::string where_;
  std::int64_t operator_set_;
  Graph graph_;
  std::map<std::string, Value> values_;
  std::size_t constants_ = 0;  ///< numbers in all of them
  double spent_ = 0;
  double allowed_ = 0x1p25;  ///< and more for every number in the file
};

/// Builds one kind of operation.
using BuildNode = void (*)(GraphBuilder& builder, const Node& node);
using OperationTable = std::map<std::string, BuildNode>;

// The operations, by kind: each adds its own to the table.
void add_elementwise_operations(OperationTable& table);
void add_linear_operations(OperationTable& table);
void add_shape_operations(OperationTable& table);
void add_selection_operations(OperationTable& table);
void add_reduction_operations(OperationTable& table);

/// The names of all operations, in order.
std::vector<std::string> known_operations();

/// The axis as a place in the value's shape, the batch axis not counted. `axis` counts as in the file, from 0 or, when
/// negative, from the end.
std::size_t resolve_axis(const GraphBuilder& builder, const Node& node, const Value& value, double axis);

/// `number` as an integer; refuses fractions, NaN and infinity.
std::int64_t to_integer(const GraphBuilder& builder, const Node& node, double number);

/// Two operands brought to one shape as numpy does it, axes matched from the last.
struct Broadcast {
  Shape shape;                              ///< without the batch axis, unless both are constants
  std::vector<std::size_t> rows_a, rows_b;  ///< for each element of the result, the element of an operand
};
Broadcast broadcast(const GraphBuilder& builder, const Node& node, const Value& a, const Value& b);

/// For each element of shape `out`, the element of an operand of shape `in` that is broadcast to it.
std::vector<std::size_t> broadcast_rows(const Shape& in, const Shape& out);

/// weights * tile + bias. Every column is summed in the same order, whatever stands in the others; rows of the tile
/// that are zero in all columns cost nothing.
class Product {
 public:
  /// `weights`: outputs x inputs, row-major.
  Product(const std::vector<float>& weights, std::vector<float> bias, std::size_t inputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return bias_.size(); }

  /// From inputs() rows of a tile to outputs() rows of another, both on boundaries of 64 bytes.
  void run(const float* in, float* out) const;

 private:
  std::size_t inputs_;
  std::vector<float> bias_;
  bool finite_ = true;
  std::vector<float> weights_;  // by groups of rows that are summed together, column after column
};

}  // namespace mercer

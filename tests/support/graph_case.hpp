#pragma once

#include <functional>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "mercer/policy.hpp"
#include "support/onnx_model.hpp"

using Numbers = std::vector<double>;

/// An operator in one of its uses, and what it must do to a column in plain doubles: from the numbers of all inputs,
/// one after the other, to those of all outputs. Inputs are drawn between `low` and `high`.
struct GraphCase {
  std::string op, use;
  OnnxModel model;
  std::function<Numbers(const Numbers&)> reference;
  double low = -3, high = 3;
};

inline void PrintTo(const GraphCase& test, std::ostream* out) { *out << test.op << " " << test.use; }

// The cases by kind of operator, each from the file of that name.
std::vector<GraphCase> graph_broadcast_cases();
std::vector<GraphCase> graph_elementwise_cases();
std::vector<GraphCase> graph_linear_cases();
std::vector<GraphCase> graph_reduction_cases();
std::vector<GraphCase> graph_selection_cases();
std::vector<GraphCase> graph_shape_cases();

/// Evaluates a network for inputs that stand below each other, one row for each number; outputs likewise.
inline Numbers run_network(const mercer::Network& network, const Numbers& in, std::size_t columns) {
  std::vector<mercer::MatrixView<const double>> inputs;
  const double* from = in.data();
  for (const auto& port : network.inputs()) {
    inputs.emplace_back(from, port.size, columns);
    from += port.size * columns;
  }
  std::size_t rows = 0;
  for (const auto& port : network.outputs()) rows += port.size;
  Numbers out(rows * columns);
  std::vector<mercer::MatrixView<double>> outputs;
  double* to = out.data();
  for (const auto& port : network.outputs()) {
    outputs.emplace_back(to, port.size, columns);
    to += port.size * columns;
  }
  network.evaluate(inputs, outputs);
  return out;
}

inline std::size_t input_rows(const mercer::Network& network) {
  std::size_t rows = 0;
  for (const auto& port : network.inputs()) rows += port.size;
  return rows;
}

/// Column `index` of `columns`.
inline Numbers column_of(const Numbers& rows, std::size_t columns, std::size_t index) {
  Numbers column;
  for (std::size_t i = index; i < rows.size(); i += columns) column.push_back(rows[i]);
  return column;
}

/// Numbers that are single-precision already, so that reading them rounds nothing.
inline Numbers random_numbers(std::size_t count, double low, double high, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> between(low, high);
  Numbers numbers(count);
  for (double& number : numbers) number = static_cast<float>(between(generator));
  return numbers;
}

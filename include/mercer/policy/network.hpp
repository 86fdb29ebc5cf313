#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mercer/core/matrix_view.hpp"

namespace mercer {

struct Graph;

/// A feed-forward network with named inputs and outputs, evaluated in single precision.
///
/// Batches run as matrix products in tiles of 16 columns, the last one padded, so a column's result never depends on
/// the columns beside it. Const and shared by any number of threads; each keeps its own scratch memory, and nothing is
/// allocated once a thread has evaluated the network for the first time.
class Network {
 public:
  /// A named vector that goes in or comes out.
  struct Port {
    std::string name;
    std::size_t size;
  };

  explicit Network(Graph graph);

  const std::vector<Port>& inputs() const;
  const std::vector<Port>& outputs() const;
  /// The place of an output, or `outputs().size()` when there is none of that name.
  std::size_t find_output(const std::string& name) const;

  /// inputs[i] has one row for each number of input i and one column for each state; outputs the same, and one without
  /// rows is left out.
  void evaluate(std::span<const MatrixView<const double>> inputs, std::span<const MatrixView<double>> outputs) const;

 private:
  std::shared_ptr<const Graph> graph_;
};

}  // namespace mercer

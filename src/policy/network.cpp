#include "mercer/policy/network.hpp"

#include <algorithm>
#include <cassert>
#include <memory>
#include <new>

#include "policy/graph/graph.hpp"

namespace mercer {
namespace {

// Every thread's own memory for tiles, as large as the largest network it has met.
float* tile_memory(std::size_t floats) {
  struct Free {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{64}); }
  };
  thread_local std::unique_ptr<float[], Free> memory;
  thread_local std::size_t size = 0;
  if (floats > size) {
    memory.reset();
    size = 0;
    memory.reset(static_cast<float*>(::operator new[](floats * sizeof(float), std::align_val_t{64})));
    size = floats;
  }
  return memory.get();
}

void load(MatrixView<const double> from, std::size_t begin, std::size_t count, float* to) {
  for (std::size_t r = 0; r < from.rows(); ++r, to += tile_columns) {
    const double* row = from.row(r).data() + begin;
    for (std::size_t i = 0; i < count; ++i) to[i] = static_cast<float>(row[i]);
    std::fill(to + count, to + tile_columns, to[0]);  // a column that is there has no surprises for the arithmetic
  }
}

void store(const float* from, MatrixView<double> to, std::size_t begin, std::size_t count) {
  for (std::size_t r = 0; r < to.rows(); ++r, from += tile_columns) {
    double* row = to.row(r).data() + begin;
    for (std::size_t i = 0; i < count; ++i) row[i] = from[i];
  }
}

}  // namespace

Network::Network(Graph graph) : graph_(std::make_shared<const Graph>(std::move(graph))) {}

const std::vector<Network::Port>& Network::inputs() const { return graph_->inputs; }
const std::vector<Network::Port>& Network::outputs() const { return graph_->outputs; }

std::size_t Network::find_output(const std::string& name) const {
  const auto& ports = graph_->outputs;
  return static_cast<std::size_t>(std::ranges::find(ports, name, &Port::name) - ports.begin());
}

void Network::evaluate(std::span<const MatrixView<const double>> inputs,
                       std::span<const MatrixView<double>> outputs) const {
  const Graph& graph = *graph_;
  assert(inputs.size() == graph.inputs.size() && outputs.size() == graph.outputs.size());
  const std::size_t columns = inputs[0].cols();
  float* memory = tile_memory(graph.memory);
  for (std::size_t begin = 0; begin < columns; begin += tile_columns) {
    const std::size_t count = std::min(tile_columns, columns - begin);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      assert(inputs[i].rows() == graph.inputs[i].size && inputs[i].cols() == columns);
      load(inputs[i], begin, count, memory + graph.input_offsets[i]);
    }
    for (const Graph::Step& step : graph.steps) step(memory);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      store(memory + graph.output_offsets[i], outputs[i], begin, count);
    }
  }
}

}  // namespace mercer

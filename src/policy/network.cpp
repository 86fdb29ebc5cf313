#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <new>

#include "mercer/policy.hpp"
#include "policy/batch.hpp"
#include "policy/from_network.hpp"
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

namespace {

void normalise(const Normalisation& normalisation, MatrixView<const double> in, MatrixView<double> out) {
  for (std::size_t d = 0; d < out.rows(); ++d) {
    const auto from = in.row(d);
    const auto to = out.row(d);
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = normalisation.apply(d, from[i]);
  }
}

// Evaluates with the views of the outputs that are asked for, the others left out.
void evaluate(const Network& network, const Normalisation& normalisation, std::size_t observations,
              MatrixView<const double> in, const std::array<MatrixView<double>, most_network_outputs>& views) {
  const auto run = [&](MatrixView<const double> seen) {
    const std::array<MatrixView<const double>, 2> inputs{seen, in.row_block(observations, in.rows() - observations)};
    network.evaluate(std::span(inputs).first(network.inputs().size()),
                     std::span(views).first(network.outputs().size()));
  };
  if (normalisation.empty()) return run(in.row_block(0, observations));
  const Scratch memory(observations, in.cols());
  normalise(normalisation, in, memory.view());
  run(memory.view());
}

}  // namespace

BatchFunction network_function(Network network, Normalisation normalisation, std::vector<std::size_t> outputs) {
  assert(network.outputs().size() <= most_network_outputs);
  return [=](MatrixView<const double> in, MatrixView<double> out) {
    for_each_chunk(in.cols(), [&](std::size_t begin, std::size_t count) {
      std::array<MatrixView<double>, most_network_outputs> views{};
      std::size_t row = 0;
      for (const std::size_t output : outputs) {
        const std::size_t size = network.outputs()[output].size;
        views[output] = out.columns(begin, count).row_block(row, size);
        row += size;
      }
      evaluate(network, normalisation, in.rows(), in.columns(begin, count), views);
    });
  };
}

BatchFunction smallest_output(Network network, Normalisation normalisation, std::size_t observations,
                              std::vector<std::size_t> outputs) {
  assert(network.outputs().size() <= most_network_outputs);
  return [=](MatrixView<const double> in, MatrixView<double> out) {
    for_each_chunk(in.cols(), [&](std::size_t begin, std::size_t count) {
      const Scratch memory(out.rows(), count);
      const MatrixView<double> first = out.columns(begin, count), second = memory.view();
      std::array<MatrixView<double>, most_network_outputs> views{};
      views[outputs[0]] = first;
      if (outputs.size() > 1) views[outputs[1]] = second;
      evaluate(network, normalisation, observations, in.columns(begin, count), views);
      if (outputs.size() == 1) return;
      for (std::size_t r = 0; r < out.rows(); ++r) {
        for (std::size_t i = 0; i < count; ++i) first(r, i) = std::min(first(r, i), second(r, i));
      }
    });
  };
}

}  // namespace mercer

#include "policy/network_function.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "policy/graph/graph.hpp"
#include "policy/scratch.hpp"

namespace mercer {
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

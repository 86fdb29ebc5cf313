
#include "learn/network.hpp"

#include <algorithm>
#include <cmath>

#include "learn/product.hpp"

namespace mercer::learn {
namespace {

constexpr Index alignment = 16;
Index aligned(Index size) { return (size + alignment - 1) / alignment * alignment; }

template <class Real>
Factor<Real> weights_of(const Layer& layer, const Real* weights) {
  return {weights + layer.weight, layer.outputs};
}
template <class Real>
Factor<Real> columns_of(const Input<Real>& matrix, Index begin) {
  return {matrix.data() + begin * matrix.outerStride(), matrix.outerStride()};
}
template <class Real>
Factor<Real> transposed(Factor<Real> factor) {
  factor.transposed = !factor.transposed;
  return factor;
}
// What layer `l` was given.
template <class Real>
Factor<Real> input_of(std::size_t l, const Input<Real>& input, const Pass<Real>& pass, Index begin) {
  return l == 0 ? columns_of<Real>(input, begin) : columns_of<Real>(pass.values[l - 1], begin);
}

template <class Real>
void sum_columns(const Matrix<Real>& deltas, Columns columns, Real* __restrict sum) {
  const Index rows = deltas.rows();
  std::fill(sum, sum + rows, Real{0});
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    const Real* __restrict delta = deltas.data() + c * rows;
    for (Index i = 0; i < rows; ++i) sum[i] += delta[i];
  }
}

template <class Real>
void step_back(const Network& network, const Real* weights, std::size_t l, Columns columns, Pass<Real>& pass) {
  const Layer& layer = network.layers[l];
  const Index at = columns.begin * layer.inputs;
  multiply({layer.inputs, columns.count, layer.outputs}, transposed(weights_of(layer, weights)),
           columns_of<Real>(pass.deltas[l], columns.begin), pass.deltas[l - 1].data() + at, layer.inputs,
           Finish<Real>{.gate = pass.values[l - 1].data() + at});  // nothing comes through where max(x, 0) was flat
}

}  // namespace

Network::Network(std::size_t inputs, std::span<const std::size_t> hidden, std::size_t outputs) {
  const auto add = [this](std::size_t from, std::size_t to) {
    Layer layer{static_cast<Index>(from), static_cast<Index>(to), size, 0};
    layer.bias = layer.weight + aligned(layer.inputs * layer.outputs);
    size = layer.bias + aligned(layer.outputs);
    layers.push_back(layer);
  };
  std::size_t width = inputs;
  for (const std::size_t next : hidden) {
    add(width, next);
    width = next;
  }
  add(width, outputs);
}

template <class Real>
Vector<Real> initial_weights(const Network& network, std::uint64_t seed, std::uint64_t item) {
  Vector<Real> weights = Vector<Real>::Zero(network.size);
  Random random({seed, Stage::weights, item, 0});
  for (const Layer& layer : network.layers) {
    const double bound = 1 / std::sqrt(static_cast<double>(layer.inputs));
    const auto draw = [&] { return static_cast<Real>((2 * random.uniform() - 1) * bound); };
    for (Index i = 0; i < layer.outputs * layer.inputs; ++i) weights[layer.weight + i] = draw();
    for (Index i = 0; i < layer.outputs; ++i) weights[layer.bias + i] = draw();
  }
  return weights;
}

template <class Real>
Pass<Real>::Pass(const Network& network, Index columns) {
  for (const Layer& layer : network.layers) {
    values.push_back(Matrix<Real>::Zero(layer.outputs, columns));
    deltas.push_back(Matrix<Real>::Zero(layer.outputs, columns));
  }
}

template <class Real>
void forward(const Network& network, const Real* weights, const Input<Real>& input, Columns columns, Pass<Real>& pass) {
  const auto [begin, count] = columns;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const Layer& layer = network.layers[l];
    multiply({layer.outputs, count, layer.inputs}, weights_of(layer, weights), input_of(l, input, pass, begin),
             pass.values[l].data() + begin * layer.outputs, layer.outputs,
             Finish<Real>{.bias = weights + layer.bias, .rectify = l + 1 < network.layers.size()});
  }
}

template <class Real>
void backward(const Network& network, const Real* weights, const Input<Real>& input, Columns columns, Pass<Real>& pass,
              Real* gradient) {
  const auto [begin, count] = columns;
  for (std::size_t l = network.layers.size(); l-- > 0;) {
    const Layer& layer = network.layers[l];
    multiply({layer.outputs, layer.inputs, count}, columns_of<Real>(pass.deltas[l], begin),
             transposed(input_of(l, input, pass, begin)), gradient + layer.weight, layer.outputs);
    sum_columns(pass.deltas[l], columns, gradient + layer.bias);
    if (l > 0) step_back(network, weights, l, columns, pass);
  }
}

template <class Real>
void backward_to_input(const Network& network, const Real* weights, Columns columns, Pass<Real>& pass,
                       Matrix<Real>& input_delta) {
  for (std::size_t l = network.layers.size() - 1; l > 0; --l) step_back(network, weights, l, columns, pass);
  const Layer& first = network.layers[0];
  const Index skipped = first.inputs - input_delta.rows();
  const Factor<Real> last_inputs{weights + first.weight + skipped * first.outputs, first.outputs, true};
  multiply({input_delta.rows(), columns.count, first.outputs}, last_inputs,
           columns_of<Real>(pass.deltas[0], columns.begin), input_delta.data() + columns.begin * input_delta.rows(),
           input_delta.rows());
}

Flops flops(const Network& network) {
  Flops total;
  for (std::size_t l = 0; l < network.layers.size(); ++l) {
    const double product = 2.0 * static_cast<double>(network.layers[l].inputs * network.layers[l].outputs);
    total.forward += product;
    total.gradient += product;
    if (l > 0) total.back += product;
  }
  return total;
}

#define MERCER_INSTANTIATE(Real)                                                                        \
  template Vector<Real> initial_weights(const Network&, std::uint64_t, std::uint64_t);                  \
  template struct Pass<Real>;                                                                           \
  template void forward(const Network&, const Real*, const Input<Real>&, Columns, Pass<Real>&);         \
  template void backward(const Network&, const Real*, const Input<Real>&, Columns, Pass<Real>&, Real*); \
  template void backward_to_input(const Network&, const Real*, Columns, Pass<Real>&, Matrix<Real>&)
MERCER_INSTANTIATE(float);
MERCER_INSTANTIATE(double);  // for derivatives checked by differences
#undef MERCER_INSTANTIATE

}  // namespace mercer::learn


#include "learn/network.hpp"

#include <cmath>

namespace mercer::learn {
namespace {

constexpr Index alignment = 16;
Index aligned(Index size) { return (size + alignment - 1) / alignment * alignment; }

template <class Real>
Eigen::Map<const Matrix<Real>, Eigen::AlignedMax> weight_of(const Layer& layer, const Real* weights) {
  return {weights + layer.weight, layer.outputs, layer.inputs};
}

// The bias and, between layers, max(x, 0): one sweep over what the product has just written.
template <class Real>
void add_bias(Matrix<Real>& values, const Real* __restrict bias, Columns columns, bool rectify) {
  const Index rows = values.rows();
  for (Index c = columns.begin; c < columns.begin + columns.count; ++c) {
    Real* __restrict value = values.data() + c * rows;
    if (rectify) {
      for (Index i = 0; i < rows; ++i) value[i] = std::max(value[i] + bias[i], Real{0});
    } else {
      for (Index i = 0; i < rows; ++i) value[i] += bias[i];
    }
  }
}

// Where max(x, 0) was flat nothing comes through.
template <class Real>
void mask(const Matrix<Real>& values, Matrix<Real>& deltas, Columns columns) {
  const Index begin = columns.begin * values.rows();
  const Index count = columns.count * values.rows();
  const Real* __restrict value = values.data() + begin;
  Real* __restrict delta = deltas.data() + begin;
  for (Index i = 0; i < count; ++i) delta[i] = value[i] > 0 ? delta[i] : Real{0};
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
void step_back(const Network& network, const Real* weights, std::size_t layer, Columns columns, Pass<Real>& pass) {
  const auto [begin, count] = columns;
  pass.deltas[layer - 1].middleCols(begin, count).noalias() =
      weight_of(network.layers[layer], weights).transpose() * pass.deltas[layer].middleCols(begin, count);
  mask(pass.values[layer - 1], pass.deltas[layer - 1], columns);
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
    auto out = pass.values[l].middleCols(begin, count);
    if (l == 0) {
      out.noalias() = weight_of(layer, weights) * input.middleCols(begin, count);
    } else {
      out.noalias() = weight_of(layer, weights) * pass.values[l - 1].middleCols(begin, count);
    }
    add_bias(pass.values[l], weights + layer.bias, columns, l + 1 < network.layers.size());
  }
}

template <class Real>
void backward(const Network& network, const Real* weights, const Input<Real>& input, Columns columns, Pass<Real>& pass,
              Real* gradient) {
  const auto [begin, count] = columns;
  for (std::size_t l = network.layers.size(); l-- > 0;) {
    const Layer& layer = network.layers[l];
    Eigen::Map<Matrix<Real>, Eigen::AlignedMax> out(gradient + layer.weight, layer.outputs, layer.inputs);
    const auto delta = pass.deltas[l].middleCols(begin, count);
    if (l == 0) {
      out.noalias() = delta * input.middleCols(begin, count).transpose();
    } else {
      out.noalias() = delta * pass.values[l - 1].middleCols(begin, count).transpose();
    }
    sum_columns(pass.deltas[l], columns, gradient + layer.bias);
    if (l > 0) step_back(network, weights, l, columns, pass);
  }
}

template <class Real>
void backward_to_input(const Network& network, const Real* weights, Columns columns, Pass<Real>& pass,
                       Matrix<Real>& input_delta) {
  for (std::size_t l = network.layers.size() - 1; l > 0; --l) step_back(network, weights, l, columns, pass);
  input_delta.middleCols(columns.begin, columns.count).noalias() =
      weight_of(network.layers[0], weights).rightCols(input_delta.rows()).transpose() *
      pass.deltas[0].middleCols(columns.begin, columns.count);
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

}  // namespace mercer::learn

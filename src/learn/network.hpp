#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer::learn {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
template <class Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
/// Columns of features; the leading rows of a taller matrix count too.
template <class Real>
using Input = Eigen::Ref<const Matrix<Real>, 0, Eigen::OuterStride<>>;
using Eigen::Index;

/// One affine map and where its numbers stand in the network's vector. Weights are column-major: `outputs` rows.
struct Layer {
  Index inputs = 0;
  Index outputs = 0;
  Index weight = 0;
  Index bias = 0;
};

/// A stack of affine maps with max(x, 0) between them. All numbers stand in one vector, so that an optimiser is one
/// loop; each part starts on a multiple of 16 numbers, for aligned access, and the gaps stay zero.
struct Network {
  Network(std::size_t inputs, std::span<const std::size_t> hidden, std::size_t outputs);

  std::vector<Layer> layers;
  Index size = 0;

  Index inputs() const { return layers.front().inputs; }
  Index outputs() const { return layers.back().outputs; }
};

/// Uniform on +-1/sqrt(inputs) for weights and biases of each layer; `item` differs between the networks of a learner.
template <class Real>
Vector<Real> initial_weights(const Network& network, std::uint64_t seed, std::uint64_t item);

/// Room for a forward pass and its way back.
template <class Real>
struct Pass {
  Pass(const Network& network, Index columns);

  std::vector<Matrix<Real>> values;  ///< of each layer, after max(x, 0) except the last
  std::vector<Matrix<Real>>
      deltas;  ///< derivative of the loss by each layer's affine output; the caller fills the last
  const Matrix<Real>& output() const { return values.back(); }
  Matrix<Real>& output_delta() { return deltas.back(); }
};

/// Columns [begin, begin + count) of a pass: parts of a batch can be worked on side by side.
struct Columns {
  Index begin = 0;
  Index count = 0;
};

template <class Real>
void forward(const Network& network, const Real* weights, const Input<Real>& input, Columns columns, Pass<Real>& pass);

/// Carries `output_delta` back through the layers and writes the derivative by every weight.
template <class Real>
void backward(const Network& network, const Real* weights, const Input<Real>& input, Columns columns, Pass<Real>& pass,
              Real* gradient);

/// Carries `output_delta` back to the input: derivative by its last rows, as many as `input_delta` has.
template <class Real>
void backward_to_input(const Network& network, const Real* weights, Columns columns, Pass<Real>& pass,
                       Matrix<Real>& input_delta);

/// Floating-point operations of one column: a forward pass; the derivative by the weights; the way back from the output
/// to the first hidden layer.
struct Flops {
  double forward = 0;
  double gradient = 0;
  double back = 0;
};
Flops flops(const Network& network);

}  // namespace mercer::learn

namespace mercer::learn {

/// Runs work(0) and work(1), side by side where there are two threads. Updates are always cut in two, so that their
/// result does not depend on the number of threads.
template <class Work>
void both(const Work& work) {
  for_each_block(2, 1, [&work](Block block) { work(block.index); });
}

inline Columns half_of(Index size, std::size_t half) {
  const Index middle = size / 2;
  return half == 0 ? Columns{0, middle} : Columns{middle, size - middle};
}

}  // namespace mercer::learn

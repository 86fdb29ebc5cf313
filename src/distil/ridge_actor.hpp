#pragma once

#include "learn/network.hpp"

namespace mercer::distil {

using Eigen::Index;
using learn::Columns;
using learn::Input;
using learn::Matrix;
using learn::Vector;

/// What becomes of an output y.
enum class Output {
  tanh,   ///< an action tanh(y) in [-1, 1]
  clip,   ///< an action, y cut to [-1, 1]
  score,  ///< y itself, one for each discrete action
};

/// y = C tanh(W x + w) + L x + c: ridges that all outputs share, and a linear part. Columns are states.
///
/// All numbers stand in one vector: for each ridge its direction and bias, then for each output its coefficients, its
/// linear part and its offset.
struct RidgeShape {
  Index observations = 0, ridges = 0, outputs = 0;
  bool linear = false;  ///< whether there is an L
  Output output = Output::tanh;

  Index ridge_row() const { return observations + 1; }
  Index output_row() const { return ridges + (linear ? observations : 0) + 1; }
  Index output_begin() const { return ridges * ridge_row(); }
  Index size() const { return output_begin() + outputs * output_row(); }
};

/// Room for a forward pass and its way back.
struct RidgePass {
  RidgePass(const RidgeShape& shape, Index columns);

  Matrix<float> hidden;     ///< tanh(W x + w)
  Matrix<float> output;     ///< of each state
  Matrix<float> by_output;  ///< derivative of the loss by it; the caller fills it
  Matrix<float> by_before, by_hidden;
};

void forward(const RidgeShape& shape, const Vector<float>& numbers, const Input<float>& input, Columns columns,
             RidgePass& pass);

/// Carries `by_output` back and writes the derivative of the loss by every number.
void backward(const RidgeShape& shape, const Vector<float>& numbers, const Input<float>& input, Columns columns,
              RidgePass& pass, Vector<float>& gradient);

/// Directions uniform on +-sqrt(3 / observations), coefficients on +-1 / sqrt(ridges), no linear part.
Vector<float> initial_numbers(const RidgeShape& shape, std::uint64_t seed);

/// The numbers of the same actor without some of its ridges: those given (rising) stay.
Vector<float> kept_ridges(const RidgeShape& shape, const Vector<float>& numbers, std::span<const Index> kept);

}  // namespace mercer::distil

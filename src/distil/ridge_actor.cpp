#include "distil/ridge_actor.hpp"

#include <algorithm>
#include <cmath>

namespace mercer::distil {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Part = Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>;
using Written = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

// The parts of a vector of numbers as matrices.
template <class Map, class Number>
struct Parts {
  Parts(const RidgeShape& s, Number* numbers)
      : directions(numbers, s.ridges, s.observations, Eigen::OuterStride<>(s.ridge_row())),
        biases(numbers + s.observations, s.ridges, 1, Eigen::OuterStride<>(s.ridge_row())),
        coefficients(numbers + s.output_begin(), s.outputs, s.ridges, Eigen::OuterStride<>(s.output_row())),
        linear(numbers + s.output_begin() + s.ridges, s.outputs, s.linear ? s.observations : 0,
               Eigen::OuterStride<>(s.output_row())),
        offsets(numbers + s.output_begin() + s.output_row() - 1, s.outputs, 1, Eigen::OuterStride<>(s.output_row())) {}
  Map directions, biases, coefficients, linear, offsets;
};

}  // namespace

RidgePass::RidgePass(const RidgeShape& s, Index columns)
    : hidden(Matrix<float>::Zero(s.ridges, columns)),
      output(Matrix<float>::Zero(s.outputs, columns)),
      by_output(output),
      by_before(output),
      by_hidden(hidden) {}

void forward(const RidgeShape& s, const Vector<float>& numbers, const Input<float>& input, Columns columns,
             RidgePass& pass) {
  const Parts<Part, const float> own(s, numbers.data());
  const auto x = input.topRows(s.observations).middleCols(columns.begin, columns.count);
  auto hidden = pass.hidden.middleCols(columns.begin, columns.count);
  auto output = pass.output.middleCols(columns.begin, columns.count);
  if (s.ridges > 0) {
    hidden.noalias() = own.directions * x;
    hidden.colwise() += own.biases.col(0);
    hidden = hidden.array().tanh();
    output.noalias() = own.coefficients * hidden;
  } else {
    output.setZero();
  }
  if (s.linear) output.noalias() += own.linear * x;
  output.colwise() += own.offsets.col(0);
  if (s.output == Output::tanh) output = output.array().tanh();
  if (s.output == Output::clip) output = output.cwiseMax(-1).cwiseMin(1);
}

void backward(const RidgeShape& s, const Vector<float>& numbers, const Input<float>& input, Columns columns,
              RidgePass& pass, Vector<float>& gradient) {
  const Parts<Part, const float> own(s, numbers.data());
  Parts<Written, float> by(s, gradient.data());
  const auto x = input.topRows(s.observations).middleCols(columns.begin, columns.count);
  const auto hidden = pass.hidden.middleCols(columns.begin, columns.count);
  const auto output = pass.output.middleCols(columns.begin, columns.count);
  auto before = pass.by_before.middleCols(columns.begin, columns.count);
  auto inner = pass.by_hidden.middleCols(columns.begin, columns.count);
  before = pass.by_output.middleCols(columns.begin, columns.count);
  if (s.output == Output::tanh) before.array() *= 1 - output.array().square();
  if (s.output == Output::clip) {  // what lies outside moves only inwards
    before = (output.array().abs() < 1 || before.array() * output.array() > 0).select(before, 0);
  }
  if (s.ridges > 0) {
    inner.noalias() = own.coefficients.transpose() * before;
    inner.array() *= 1 - hidden.array().square();
    by.directions.noalias() = inner * x.transpose();
    by.biases = inner.rowwise().sum();
    by.coefficients.noalias() = before * hidden.transpose();
  }
  if (s.linear) by.linear.noalias() = before * x.transpose();
  by.offsets = before.rowwise().sum();
}

Vector<float> initial_numbers(const RidgeShape& s, std::uint64_t seed) {
  Vector<float> numbers = Vector<float>::Zero(s.size());
  Random random({seed, Stage::weights, 0, 0});
  const double direction = std::sqrt(3.0 / static_cast<double>(s.observations));
  const double coefficient = 1 / std::sqrt(static_cast<double>(std::max<Index>(s.ridges, 1)));
  const auto draw = [&](Index i, double most) { numbers[i] = static_cast<float>(most * (2 * random.uniform() - 1)); };
  for (Index i = 0; i < s.output_begin(); ++i) draw(i, direction);
  for (Index o = 0; o < s.outputs; ++o) {
    for (Index r = 0; r < s.ridges; ++r) draw(s.output_begin() + o * s.output_row() + r, coefficient);
  }
  return numbers;
}

Vector<float> kept_ridges(const RidgeShape& s, const Vector<float>& numbers, std::span<const Index> kept) {
  RidgeShape fewer = s;
  fewer.ridges = static_cast<Index>(kept.size());
  Vector<float> out(fewer.size());
  for (Index j = 0; j < fewer.ridges; ++j) {
    const Index from = kept[static_cast<std::size_t>(j)];
    out.segment(j * s.ridge_row(), s.ridge_row()) = numbers.segment(from * s.ridge_row(), s.ridge_row());
    for (Index o = 0; o < s.outputs; ++o) {
      out[fewer.output_begin() + o * fewer.output_row() + j] = numbers[s.output_begin() + o * s.output_row() + from];
    }
  }
  for (Index o = 0; o < s.outputs; ++o) {
    const Index rest = s.output_row() - s.ridges;
    out.segment(fewer.output_begin() + o * fewer.output_row() + fewer.ridges, rest) =
        numbers.segment(s.output_begin() + o * s.output_row() + s.ridges, rest);
  }
  return out;
}

}  // namespace mercer::distil

#include "distil/ridge_actor.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace mercer::distil {

// Found by the name of its argument: it stands beside that.
void PrintTo(const RidgeShape& shape, std::ostream* out) {
  *out << shape.observations << "x" << shape.ridges << "x" << shape.outputs << (shape.linear ? " linear" : "");
}

namespace {

Vector<float> random_numbers(const RidgeShape& shape, std::uint64_t seed, double size = 0.7) {
  Random random({seed, Stage::simulate, 0, 0});
  Vector<float> numbers(shape.size());
  for (float& number : numbers) number = static_cast<float>(size * random.normal());
  return numbers;
}

Matrix<float> random_states(Index rows, Index columns, std::uint64_t seed) {
  Random random({seed, Stage::simulate, 1, 0});
  Matrix<float> states(rows, columns);
  for (float& number : states.reshaped()) number = static_cast<float>(random.normal());
  return states;
}

// The formula itself, in double precision.
double plain_output(const RidgeShape& s, const Vector<double>& numbers, const Matrix<float>& x, Index output,
                    Index column) {
  const auto at = [&](Index i) { return numbers[i]; };
  const Index row = s.output_begin() + output * s.output_row();
  double sum = at(row + s.output_row() - 1);
  for (Index r = 0; r < s.ridges; ++r) {
    double inner = at(r * s.ridge_row() + s.observations);
    for (Index d = 0; d < s.observations; ++d) inner += at(r * s.ridge_row() + d) * x(d, column);
    sum += at(row + r) * std::tanh(inner);
  }
  for (Index d = 0; s.linear && d < s.observations; ++d) {
    sum += at(row + s.ridges + d) * x(d, column);
  }
  if (s.output == Output::clip) return std::clamp(sum, -1.0, 1.0);
  return s.output == Output::tanh ? std::tanh(sum) : sum;
}

class RidgeActor : public testing::TestWithParam<RidgeShape> {};

TEST_P(RidgeActor, is_its_formula) {
  const RidgeShape shape = GetParam();
  const Vector<float> numbers = random_numbers(shape, 3);
  const Matrix<float> x = random_states(shape.observations, 9, 4);
  RidgePass pass(shape, 9);
  forward(shape, numbers, x, {0, 5}, pass);
  forward(shape, numbers, x, {5, 4}, pass);
  for (Index c = 0; c < 9; ++c) {
    for (Index o = 0; o < shape.outputs; ++o) {
      EXPECT_NEAR(pass.output(o, c), plain_output(shape, numbers.cast<double>(), x, o, c), 2e-6);
    }
  }
}

// Of the sum over columns of w . output with random w, against central differences of the formula.
TEST_P(RidgeActor, knows_its_derivatives) {
  const RidgeShape shape = GetParam();
  const Vector<float> numbers = random_numbers(shape, 5);
  const Matrix<float> x = random_states(shape.observations, 6, 6), w = random_states(shape.outputs, 6, 7);
  RidgePass pass(shape, 6);
  forward(shape, numbers, x, {0, 6}, pass);
  pass.by_output = w;
  Vector<float> gradient = Vector<float>::Zero(shape.size());
  backward(shape, numbers, x, {0, 6}, pass, gradient);
  Vector<double> moved = numbers.cast<double>();
  const auto value = [&] {
    double sum = 0;
    for (Index c = 0; c < 6; ++c) {
      for (Index o = 0; o < shape.outputs; ++o) sum += w(o, c) * plain_output(shape, moved, x, o, c);
    }
    return sum;
  };
  for (Index i = 0; i < shape.size(); ++i) {
    constexpr double step = 1e-5;
    const double was = moved[i];
    moved[i] = was + step;
    const double above = value();
    moved[i] = was - step;
    const double below = value();
    moved[i] = was;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * step), 1e-4 * (1 + std::abs(gradient[i]))) << "number " << i;
  }
}

TEST_P(RidgeActor, without_some_ridges_is_the_same_with_their_coefficients_zero) {
  const RidgeShape shape = GetParam();
  if (shape.ridges < 3) GTEST_SKIP() << "no ridges to leave out";
  const Vector<float> numbers = random_numbers(shape, 8);
  const std::vector<Index> kept{0, 2};
  RidgeShape fewer = shape;
  fewer.ridges = 2;
  const Vector<float> left = kept_ridges(shape, numbers, kept);
  Vector<double> silenced = numbers.cast<double>();
  for (Index o = 0; o < shape.outputs; ++o) {
    for (Index r = 0; r < shape.ridges; ++r) {
      if (r != 0 && r != 2) silenced[shape.output_begin() + o * shape.output_row() + r] = 0;
    }
  }
  const Matrix<float> x = random_states(shape.observations, 4, 9);
  for (Index c = 0; c < 4; ++c) {
    for (Index o = 0; o < shape.outputs; ++o) {
      EXPECT_NEAR(plain_output(fewer, left.cast<double>(), x, o, c), plain_output(shape, silenced, x, o, c), 1e-12);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(shapes, RidgeActor,
                         testing::Values(RidgeShape{3, 4, 2, false, Output::tanh},
                                         RidgeShape{5, 0, 3, true, Output::tanh},
                                         RidgeShape{4, 3, 2, true, Output::score},
                                         RidgeShape{17, 32, 6, false, Output::tanh}));

}  // namespace
}  // namespace mercer::distil

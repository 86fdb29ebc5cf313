#include "distil/round_to_data.hpp"

#include <algorithm>

#include <Eigen/Cholesky>

#include "distil/imitate.hpp"
#include "embed/continuous/quadratic.hpp"

namespace mercer::distil {
namespace {

using Doubles = Eigen::MatrixXd;

constexpr std::size_t states = 4096;

// What a student computes on some states.
struct Pass {
  Doubles input;   // of the student, then a row of ones
  Doubles hidden;  // ridges
  Doubles
      counts;  // what a change of an output before it is squashed counts: squared derivative, times the label's weight
};

Pass pass_of(const Student& student, const Labelled& data, std::uint64_t seed) {
  const RidgeShape& s = student.shape;
  const Sampled sampled(student, data, states, seed);
  Pass out{Doubles::Ones(s.observations + 1, static_cast<Index>(states)), sampled.pass.hidden.cast<double>(),
           Doubles::Ones(s.outputs, static_cast<Index>(states))};
  Doubles& moves = out.counts;
  out.input.topRows(s.observations) = sampled.input.cast<double>();
  const auto output = sampled.pass.output.cast<double>().array();
  constexpr double outside = 0.05;  // what is cut off hardly moves, and must not count for nothing
  if (s.output == Output::tanh) moves = 1 - output.square();
  if (s.output == Output::clip) moves = (output.abs() < 1).select(moves, outside);
  moves = moves.cwiseAbs2().cwiseProduct(sampled.weight.cast<double>());
  return out;
}

// The features of the coefficients of one output: ridges, the linear part, the offset.
Doubles features_of(const RidgeShape& s, const Doubles& hidden, const Doubles& input) {
  Doubles out(s.output_row(), input.cols());
  out.topRows(s.ridges) = hidden;
  if (s.linear) out.middleRows(s.ridges, s.observations) = input.topRows(s.observations);
  out.bottomRows(1).setOnes();
  return out;
}

Doubles weighted(const Doubles& features, const Eigen::VectorXd& weights) {
  return features * weights.asDiagonal() * features.transpose();
}

// The unit of each number by the student's own measure.
Eigen::VectorXd units_of(const RoundedStudent& one) {
  const std::vector<double> units = one.rounding.units(one.student.shape);
  return Eigen::Map<const Eigen::VectorXd>(units.data(), static_cast<Index>(units.size()))
      .cwiseQuotient(stored_factors(one.student).cast<double>());
}

}  // namespace

RoundedStudent round_ridges(const RoundedStudent& one, Index held, Index end, const Labelled& data,
                            std::uint64_t seed) {
  const RidgeShape& s = one.student.shape;
  const RidgeGrid& grid = one.rounding.grid;
  const Pass pass = pass_of(one.student, data, seed);
  RoundedStudent out = one;
  // The unit that all ridges share stays; how often a ridge halves it follows what the ridge has become.
  const std::vector<std::uint8_t> halvings = fitting_halvings(one.student, one.rounding);
  std::ranges::copy(halvings.begin() + held, halvings.end(), out.rounding.halvings.begin() + held);
  const auto coefficients = [&](Index o) {
    return one.student.numbers.segment(s.output_begin() + o * s.output_row(), s.output_row()).cast<double>().eval();
  };
  Doubles hidden = pass.hidden;
  const Eigen::VectorXd units = units_of(out);
  for (Index r = held; r < end; ++r) {
    Eigen::VectorXd weights = Eigen::VectorXd::Zero(static_cast<Index>(states));
    for (Index o = 0; o < s.outputs; ++o) {
      weights += std::pow(coefficients(o)[r], 2) * pass.counts.row(o).transpose();
    }
    weights.array() *= (1 - pass.hidden.row(r).transpose().array().square()).square();
    auto row = out.student.numbers.segment(r * s.ridge_row(), s.ridge_row());
    const Eigen::VectorXd found =
        round_with_units(weighted(pass.input, weights), row.cast<double>(),
                         units.segment(r * s.ridge_row(), s.ridge_row()), (1 << (grid.ridge_bits - 1)) - 1);
    hidden.row(r) = (found.transpose() * pass.input).array().tanh();
    row = found.cast<float>();
  }
  const Doubles before = features_of(s, pass.hidden, pass.input), features = features_of(s, hidden, pass.input);
  for (Index o = 0; o < s.outputs; ++o) {
    const Eigen::VectorXd weights = pass.counts.row(o).transpose();
    Doubles curvature = weighted(features, weights);
    curvature.diagonal().array() += 1e-6 * curvature.trace() / static_cast<double>(s.output_row());
    const Eigen::VectorXd wanted = coefficients(o);
    const Eigen::VectorXd off = wanted.transpose() * (before - features);
    const Eigen::VectorXd fitted = wanted + curvature.ldlt().solve(features * weights.cwiseProduct(off));
    out.student.numbers.segment(s.output_begin() + o * s.output_row(), s.output_row()) = fitted.cast<float>();
  }
  return out;
}

RoundedStudent round_coefficients(const RoundedStudent& one, const Labelled& data, std::uint64_t seed) {
  const RidgeShape& s = one.student.shape;
  const RidgeGrid& grid = one.rounding.grid;
  const Pass pass = pass_of(one.student, data, seed);
  const Doubles features = features_of(s, pass.hidden, pass.input);
  RoundedStudent out = one;
  out.rounding.scales = fitting_rounding(one.student, grid).scales;
  const Eigen::VectorXd units = units_of(out);
  for (Index o = 0; o < s.outputs; ++o) {
    const Index begin = s.output_begin() + o * s.output_row();
    auto row = out.student.numbers.segment(begin, s.output_row());
    row = round_with_units(weighted(features, pass.counts.row(o).transpose()), row.cast<double>(),
                           units.segment(begin, s.output_row()), (1 << (grid.coefficient_bits - 1)) - 1)
              .cast<float>();
  }
  return out;
}

RoundedStudent round_to_data(const Student& student, const RidgeGrid& grid, const Labelled& data, std::uint64_t seed) {
  const RoundedStudent start{student, fitting_rounding(student, grid)};
  return round_coefficients(round_ridges(start, 0, student.shape.ridges, data, seed), data, seed);
}

}  // namespace mercer::distil

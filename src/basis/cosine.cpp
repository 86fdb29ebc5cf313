#include "mercer/basis/cosine.hpp"

#include <cmath>

#include "basis/cosine_rows.hpp"
#include "basis/transforms.hpp"

namespace mercer {
namespace {

// What makes the plain transforms orthonormal: on every axis of length n a factor sqrt(1 / 2n) for all frequencies but
// zero, which the forward transform makes twice as large as the others' kind and the backward one half.
enum class Direction { forward, backward };

void scale(std::span<const std::size_t> shape, std::span<double> values, Direction direction) {
  const double of_zero = direction == Direction::forward ? 0.25 : 1;
  const auto factor = [&](std::size_t length, std::size_t frequency) {
    return std::sqrt((frequency == 0 ? of_zero : 0.5) / static_cast<double>(length));
  };
  const std::size_t columns = shape.back();
  const double first = factor(columns, 0), other = factor(columns, 1);
  for (std::size_t row = 0; row < values.size() / columns; ++row) {
    double leading = 1;
    for_each_leading_index(shape, row,
                           [&](std::size_t axis, std::size_t frequency) { leading *= factor(shape[axis], frequency); });
    double* const out = values.data() + row * columns;
    out[0] *= leading * first;
    for (std::size_t column = 1; column < columns; ++column) out[column] *= leading * other;
  }
}

void forward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  transforms::cosine_forward(shape, in, out);
  scale(shape, out, Direction::forward);
}

void backward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  std::vector<double> scaled(in.begin(), in.end());
  scale(shape, scaled, Direction::backward);
  transforms::cosine_backward(shape, scaled, out);
}

}  // namespace

Table cosine(const Table& table) {
  check_table("the table", table.shape, table.values);
  Table result{table.shape, std::vector<double>(table.values.size())};
  forward(table.shape, table.values, result.values);
  return result;
}

Table inverse_cosine(const Table& coefficients) {
  check_table("the table of coefficients", coefficients.shape, coefficients.values);
  Table result{coefficients.shape, std::vector<double>(coefficients.values.size())};
  backward(coefficients.shape, coefficients.values, result.values);
  return result;
}

void CosineBasis::train(const Table& table, std::span<const double>) { fix_shape(table); }

std::size_t CosineBasis::size() const { return shape().empty() ? 0 : table_size(shape()); }

std::vector<double> CosineBasis::apply(std::span<const double> table) const {
  check_values(table);
  std::vector<double> coefficients(table.size());
  forward(shape(), table, coefficients);
  return coefficients;
}

std::vector<double> CosineBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> table(coefficients.size());
  backward(shape(), coefficients, table);
  return table;
}

std::vector<Term> CosineBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    terms.push_back({i, i, coefficients[i] * coefficients[i], 1, i == 0});
  }
  return terms;
}

std::unique_ptr<RowEvaluator> CosineBasis::evaluator(std::span<const double> coefficients,
                                                     std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<CosineRows>(shape(), coefficients, kept);
}

}  // namespace mercer

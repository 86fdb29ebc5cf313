#include "mercer/basis/cosine.hpp"

#include "basis/cosine_axis.hpp"
#include "basis/cosine_rows.hpp"

namespace mercer {
namespace {

// One axis after the other; each works in place on what the one before left.
void transform(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out, bool backward) {
  std::size_t inner = 1;
  std::span<const double> from = in;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    cosine_along(from, out, out.size() / inner / shape[axis], shape[axis], inner, backward);
    inner *= shape[axis];
    from = out;
  }
}

void forward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  transform(shape, in, out, false);
}

void backward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  transform(shape, in, out, true);
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

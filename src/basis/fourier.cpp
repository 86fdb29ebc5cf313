#include "mercer/basis/fourier.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "basis/fourier_rows.hpp"
#include "basis/transforms.hpp"

namespace mercer {
namespace {

using Complex = std::complex<double>;

// Frequencies are kept for half of the last axis only: the other half is conjugate to it.
struct HalfSpectrum {
  explicit HalfSpectrum(std::span<const std::size_t> shape)
      : columns(shape.back()), half(shape.back() / 2 + 1), opposite(opposite_rows(shape)) {}

  std::size_t opposite_column(std::size_t column) const { return column == 0 ? 0 : columns - column; }

  std::size_t columns, half;
  std::vector<std::size_t> opposite;  // the row of -k for the row of k
};

}  // namespace

std::vector<std::size_t> opposite_rows(std::span<const std::size_t> shape) {
  const std::size_t rows = table_size(shape) / shape.back();
  std::vector<std::size_t> opposite(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t rest = row, stride = 1;
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
      const std::size_t index = rest % shape[axis];
      rest /= shape[axis];
      opposite[row] += (index == 0 ? 0 : shape[axis] - index) * stride;
      stride *= shape[axis];
    }
  }
  return opposite;
}

std::vector<Complex> fourier(const Table& table) {
  check_table("the table", table.shape, table.values);
  const HalfSpectrum layout(table.shape);
  std::vector<Complex> half(layout.opposite.size() * layout.half);
  transforms::real_to_complex(table.shape, table.values, half);
  std::vector<Complex> full(table.values.size());
  for (std::size_t row = 0; row < layout.opposite.size(); ++row) {
    const Complex* const own = half.data() + row * layout.half;
    const Complex* const other = half.data() + layout.opposite[row] * layout.half;
    Complex* const out = full.data() + row * layout.columns;
    std::copy(own, own + layout.half, out);
    for (std::size_t column = layout.half; column < layout.columns; ++column) {
      out[column] = std::conj(other[layout.columns - column]);
    }
  }
  return full;
}

Table inverse_fourier(std::span<const Complex> spectrum, std::vector<std::size_t> shape) {
  check_count("the spectrum", spectrum.size(), table_size(shape));
  // A complex number is laid out as its two parts.
  check_finite("the spectrum", {reinterpret_cast<const double*>(spectrum.data()), 2 * spectrum.size()});
  const HalfSpectrum layout(shape);
  std::vector<Complex> half(layout.opposite.size() * layout.half);
  const double scale = 0.5 / static_cast<double>(spectrum.size());
  for (std::size_t row = 0; row < layout.opposite.size(); ++row) {
    for (std::size_t column = 0; column < layout.half; ++column) {
      const Complex own = spectrum[row * layout.columns + column];
      const Complex other = spectrum[layout.opposite[row] * layout.columns + layout.opposite_column(column)];
      half[row * layout.half + column] = scale * (own + std::conj(other));
    }
  }
  Table table{std::move(shape), std::vector<double>(spectrum.size())};
  transforms::complex_to_real(table.shape, half, table.values);
  return table;
}

void FourierBasis::train(const Table& table, std::span<const double>) { fix_shape(table); }

std::size_t FourierBasis::size() const { return shape().empty() ? 0 : table_size(shape()); }

std::vector<double> FourierBasis::apply(std::span<const double> table) const {
  check_values(table);
  const HalfSpectrum layout(shape());
  std::vector<Complex> half(layout.opposite.size() * layout.half);
  transforms::real_to_complex(shape(), table, half);
  std::vector<double> coefficients(table.size());
  const double single = 1 / std::sqrt(static_cast<double>(table.size()));
  const double paired = single * std::numbers::sqrt2;
  for (std::size_t row = 0; row < layout.opposite.size(); ++row) {
    for (std::size_t column = 0; column < layout.half; ++column) {
      const Complex value = half[row * layout.half + column];
      const std::size_t own = row * layout.columns + column;
      const std::size_t other = layout.opposite[row] * layout.columns + layout.opposite_column(column);
      if (own == other) {
        coefficients[own] = single * value.real();
      } else if (own < other) {
        coefficients[own] = paired * value.real();
        coefficients[other] = paired * value.imag();
      } else {  // the pair is named after -k, whose value is the conjugate
        coefficients[other] = paired * value.real();
        coefficients[own] = -paired * value.imag();
      }
    }
  }
  return coefficients;
}

std::vector<double> FourierBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  const HalfSpectrum layout(shape());
  std::vector<Complex> half(layout.opposite.size() * layout.half);
  const double single = 1 / std::sqrt(static_cast<double>(coefficients.size()));
  const double paired = single / std::numbers::sqrt2;
  for (std::size_t row = 0; row < layout.opposite.size(); ++row) {
    for (std::size_t column = 0; column < layout.half; ++column) {
      const std::size_t own = row * layout.columns + column;
      const std::size_t other = layout.opposite[row] * layout.columns + layout.opposite_column(column);
      Complex& value = half[row * layout.half + column];
      if (own == other) {
        value = single * coefficients[own];
      } else if (own < other) {
        value = {paired * coefficients[own], paired * coefficients[other]};
      } else {
        value = {paired * coefficients[other], -paired * coefficients[own]};
      }
    }
  }
  std::vector<double> table(coefficients.size());
  transforms::complex_to_real(shape(), half, table);
  return table;
}

std::vector<Term> FourierBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  const HalfSpectrum layout(shape());
  std::vector<Term> terms;
  terms.reserve(coefficients.size() / 2 + 1);
  for (std::size_t row = 0; row < layout.opposite.size(); ++row) {
    for (std::size_t column = 0; column < layout.columns; ++column) {
      const std::size_t own = row * layout.columns + column;
      const std::size_t other = layout.opposite[row] * layout.columns + layout.opposite_column(column);
      if (own > other) continue;
      const double real = coefficients[own];
      const double imaginary = own == other ? 0 : coefficients[other];
      terms.push_back(
          {own, other, real * real + imaginary * imaginary, own == other ? std::size_t{1} : std::size_t{2}, own == 0});
    }
  }
  return terms;
}

std::unique_ptr<RowEvaluator> FourierBasis::evaluator(std::span<const double> coefficients,
                                                      std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<FourierRows>(shape(), coefficients, kept);
}

}  // namespace mercer

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <numeric>

#include "basis/table/roots_of_unity.hpp"
#include "basis/table/transforms.hpp"
#include "mercer/basis.hpp"

namespace mercer {
namespace {

// Sums of kept Fourier terms: value(x) = sum_i Re(amplitude_i exp(2 pi i (leading phase + column phase))).
//
// Terms are grouped by their frequency along the columns: a row first sums the terms of a group at its place on the
// leading axes, and only the group's sum meets the columns.
class FourierRows final : public RowEvaluator {
 public:
  FourierRows(std::vector<std::size_t> shape, std::span<const double> coefficients, std::span<const std::size_t> kept);

  void row(std::size_t row, std::span<double> out) const override;
  double entry(std::size_t row, std::size_t column) const override;

 private:
  struct Group {
    std::size_t frequency;
    std::size_t begin, end;  // of its terms
  };
  struct Sum {
    double real = 0, imaginary = 0;
  };
  Sum sum(const Group& group, std::size_t row) const;

  std::vector<std::size_t> shape_;
  std::vector<RootsOfUnity> turns_;  // of each axis
  std::vector<Group> groups_;
  std::vector<double> real_, imaginary_;                 // amplitudes
  std::vector<std::vector<std::uint32_t>> frequencies_;  // of each leading axis, for each term
  std::vector<double> cosines_, sines_;                  // of each group at each column
};

FourierRows::FourierRows(std::vector<std::size_t> shape, std::span<const double> coefficients,
                         std::span<const std::size_t> kept)
    : shape_(std::move(shape)) {
  const std::size_t columns = shape_.back();
  const double single = 1 / std::sqrt(static_cast<double>(coefficients.size()));
  const double paired = single * std::numbers::sqrt2;
  for (const std::size_t length : shape_) turns_.emplace_back(length);
  const std::vector<std::size_t> opposite = opposite_rows(shape_);

  // A kept coefficient is the real part of its frequency, or the imaginary part of the opposite one. Frequencies in the
  // upper half of the columns are turned round, so that groups are few.
  struct KeptTerm {
    std::size_t column, row;
    double real, imaginary;
  };
  std::vector<KeptTerm> terms;
  for (const std::size_t index : kept) {
    const std::size_t row = index / columns, column = index % columns;
    const std::size_t other_column = column == 0 ? 0 : columns - column;
    const std::size_t other = opposite[row] * columns + other_column;
    const double value = coefficients[index];
    KeptTerm term{column, row, 0, 0};
    if (index == other) {
      term.real = single * value;
    } else if (index < other) {
      term.real = paired * value;
    } else {
      term = {other_column, opposite[row], 0, paired * value};
    }
    if (2 * term.column > columns) {
      term = {columns - term.column, opposite[term.row], term.real, -term.imaginary};
    }
    terms.push_back(term);
  }
  std::ranges::sort(terms, [](const KeptTerm& a, const KeptTerm& b) {
    return a.column != b.column ? a.column < b.column : a.row < b.row;
  });

  frequencies_.resize(shape_.size() - 1);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const KeptTerm& term = terms[i];
    if (i > 0 && terms[i - 1].column == term.column && terms[i - 1].row == term.row) {
      real_.back() += term.real;  // both halves of a pair
      imaginary_.back() += term.imaginary;
      continue;
    }
    if (groups_.empty() || groups_.back().frequency != term.column) {
      groups_.push_back({term.column, real_.size(), real_.size()});
    }
    real_.push_back(term.real);
    imaginary_.push_back(term.imaginary);
    for_each_leading_index(shape_, term.row, [&](std::size_t axis, std::size_t index) {
      frequencies_[axis].push_back(static_cast<std::uint32_t>(index));
    });
    groups_.back().end = real_.size();
  }
  for (const Group& group : groups_) {
    for (std::size_t column = 0; column < columns; ++column) {
      const std::size_t turn = turns_.back().index(group.frequency, column);
      cosines_.push_back(turns_.back().cosine(turn));
      sines_.push_back(turns_.back().sine(turn));
    }
  }
}

FourierRows::Sum FourierRows::sum(const Group& group, std::size_t row) const {
  Sum sum;
  if (shape_.size() == 2) {  // the usual case, in a loop of its own that the compiler can do several terms of at once
    const RootsOfUnity& turns = turns_[0];
    const std::uint32_t* const frequency = frequencies_[0].data();
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const std::size_t turn = turns.index(frequency[i], row);
      sum.real += real_[i] * turns.cosine(turn) - imaginary_[i] * turns.sine(turn);
      sum.imaginary += real_[i] * turns.sine(turn) + imaginary_[i] * turns.cosine(turn);
    }
    return sum;
  }
  for (std::size_t i = group.begin; i < group.end; ++i) {
    double real = real_[i], imaginary = imaginary_[i];
    for_each_leading_index(shape_, row, [&](std::size_t axis, std::size_t index) {
      const std::size_t turn = turns_[axis].index(frequencies_[axis][i], index);
      const double cosine = turns_[axis].cosine(turn), sine = turns_[axis].sine(turn);
      const double turned = real * cosine - imaginary * sine;
      imaginary = real * sine + imaginary * cosine;
      real = turned;
    });
    sum.real += real;
    sum.imaginary += imaginary;
  }
  return sum;
}

void FourierRows::row(std::size_t row, std::span<double> out) const {
  const std::size_t columns = shape_.back();
  assert(out.size() == columns);
  std::ranges::fill(out, 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Sum at_row = sum(groups_[g], row);
    const double* const cosine = cosines_.data() + g * columns;
    const double* const sine = sines_.data() + g * columns;
    for (std::size_t column = 0; column < columns; ++column) {
      out[column] += at_row.real * cosine[column] - at_row.imaginary * sine[column];
    }
  }
}

double FourierRows::entry(std::size_t row, std::size_t column) const {
  double value = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Sum at_row = sum(groups_[g], row);
    const std::size_t place = g * shape_.back() + column;
    value += at_row.real * cosines_[place] - at_row.imaginary * sines_[place];
  }
  return value;
}

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

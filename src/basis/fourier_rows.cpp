#include "basis/fourier_rows.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace mercer {

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
    const Turns& turns = turns_[0];
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

}  // namespace mercer

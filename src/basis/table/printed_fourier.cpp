#include <algorithm>
#include <functional>

#include "basis/table/roots_of_unity.hpp"
#include "mercer/basis.hpp"

namespace mercer {
namespace {

using Complex = std::complex<double>;

// numpy's fftshift over all axes: what stands at i comes from i - n / 2, on every axis of length n.
std::vector<Complex> shifted(std::span<const Complex> spectrum, std::span<const std::size_t> shape) {
  std::vector<Complex> out(spectrum.size());
  for (std::size_t place = 0; place < out.size(); ++place) {
    std::size_t rest = place, stride = 1, from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const std::size_t length = shape[axis];
      from += (rest % length + length - length / 2) % length * stride;
      rest /= length;
      stride *= length;
    }
    out[place] = spectrum[from];
  }
  return out;
}

// Where a place of the flat spectrum stands after numpy's ifftshift in one dimension: its frequency.
std::size_t flat_frequency(std::size_t place, std::size_t size) { return (place + size - size / 2) % size; }

// value(x) = (1 / N) sum_i coefficient_i cos(2 pi frequency_i x / N), x counting all entries of the table.
class PrintedRows final : public RowEvaluator {
 public:
  PrintedRows(std::size_t size, std::size_t columns, std::span<const double> coefficients,
              std::span<const std::size_t> kept)
      : columns_(columns), turns_(size) {
    for (const std::size_t place : kept) {
      frequencies_.push_back(flat_frequency(place, size));
      amplitudes_.push_back(coefficients[place] / static_cast<double>(size));
    }
  }

  void row(std::size_t row, std::span<double> out) const override {
    for (std::size_t column = 0; column < columns_; ++column) out[column] = entry(row, column);
  }
  double entry(std::size_t row, std::size_t column) const override {
    double sum = 0;
    for (std::size_t i = 0; i < amplitudes_.size(); ++i) {
      sum += amplitudes_[i] * turns_.cosine(turns_.index(frequencies_[i], row * columns_ + column));
    }
    return sum;
  }

 private:
  std::size_t columns_;
  RootsOfUnity turns_;
  std::vector<std::size_t> frequencies_;
  std::vector<double> amplitudes_;
};

}  // namespace

void PrintedFourierBasis::train(const Table& table, std::span<const double>) { fix_shape(table); }

std::size_t PrintedFourierBasis::size() const { return shape().empty() ? 0 : table_size(shape()); }

std::vector<double> PrintedFourierBasis::apply(std::span<const double> table) const {
  check_values(table);
  const std::vector<Complex> spectrum = shifted(fourier({shape(), {table.begin(), table.end()}}), shape());
  std::vector<double> coefficients;
  coefficients.reserve(spectrum.size());
  for (const Complex& value : spectrum) coefficients.push_back(value.real());
  return coefficients;
}

std::vector<double> PrintedFourierBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Complex> flat(coefficients.size());
  for (std::size_t place = 0; place < flat.size(); ++place) {
    flat[flat_frequency(place, flat.size())] = coefficients[place];
  }
  return inverse_fourier(flat, {flat.size()}).values;
}

std::vector<Term> PrintedFourierBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) terms.push_back({i, i, coefficients[i] * coefficients[i]});
  return terms;
}

std::vector<std::size_t> PrintedFourierBasis::choose(std::span<const double> coefficients, std::size_t k) const {
  check_coefficients(coefficients);
  std::vector<std::size_t> kept;
  double threshold = *std::ranges::min_element(coefficients);
  if (k < coefficients.size()) {
    std::vector<double> ranked(coefficients.begin(), coefficients.end());
    const auto place = ranked.begin() + static_cast<std::ptrdiff_t>(k);
    std::ranges::nth_element(ranked, place, std::greater<>());
    threshold = *place;
  }
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] >= threshold) kept.push_back(i);
  }
  return kept;
}

std::unique_ptr<RowEvaluator> PrintedFourierBasis::evaluator(std::span<const double> coefficients,
                                                             std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<PrintedRows>(size(), shape().back(), coefficients, kept);
}

}  // namespace mercer

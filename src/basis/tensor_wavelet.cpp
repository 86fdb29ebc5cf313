#include "mercer/basis/tensor_wavelet.hpp"

#include <algorithm>
#include <array>
#include <cassert>

#include "basis/turns.hpp"
#include "basis/wavelet_axis.hpp"

namespace mercer {
namespace {

using Axes = std::vector<WaveletAxis>;

// Kept coefficients by rows of the array of coefficients: a row of the table meets the few of them whose leading
// wavelets are not zero there, and is then put together along the columns.
class TensorRows final : public RowEvaluator {
 public:
  TensorRows(std::shared_ptr<const Axes> axes, std::span<const double> coefficients, std::span<const std::size_t> kept)
      : axes_(std::move(axes)) {
    for (const WaveletAxis& axis : *axes_) shape_.push_back(axis.length());
    std::vector<std::size_t> order(kept.begin(), kept.end());
    std::ranges::sort(order);
    const std::size_t columns = axes_->back().size();
    row_begin_.assign(coefficients.size() / columns + 1, 0);
    for (const std::size_t index : order) {
      ++row_begin_[index / columns + 1];
      columns_.push_back(index % columns);
      values_.push_back(coefficients[index]);
    }
    for (std::size_t row = 1; row < row_begin_.size(); ++row) row_begin_[row] += row_begin_[row - 1];
    WaveletAxis::Weights weights;
    for (std::size_t column = 0; column < shape_.back(); ++column) {
      axes_->back().weights_at(column, weights);
      column_weights_.push_back(weights);
    }
  }

  void row(std::size_t row, std::span<double> out) const override {
    assert(out.size() == shape_.back());
    const std::vector<double>& gathered = gather(row);
    for (std::size_t column = 0; column < out.size(); ++column) out[column] = at(gathered, column);
  }

  double entry(std::size_t row, std::size_t column) const override { return at(gather(row), column); }

 private:
  double at(const std::vector<double>& gathered, std::size_t column) const {
    const WaveletAxis::Weights& weights = column_weights_[column];
    double sum = 0;
    for (std::size_t i = 0; i < weights.index.size(); ++i) sum += weights.weight[i] * gathered[weights.index[i]];
    return sum;
  }

  // The coefficients of a row along the columns.
  const std::vector<double>& gather(std::size_t row) const {
    thread_local std::array<WaveletAxis::Weights, 8> leading;
    thread_local std::vector<double> gathered;
    gathered.assign(axes_->back().size(), 0);
    for_each_leading_index(
        shape_, row, [&](std::size_t axis, std::size_t index) { (*axes_)[axis].weights_at(index, leading[axis]); });
    add(leading, 0, 0, 1, gathered);
    return gathered;
  }

  void add(const std::array<WaveletAxis::Weights, 8>& leading, std::size_t axis, std::size_t row, double weight,
           std::vector<double>& gathered) const {
    if (axis + 1 == shape_.size()) {
      for (std::size_t i = row_begin_[row]; i < row_begin_[row + 1]; ++i) gathered[columns_[i]] += weight * values_[i];
      return;
    }
    for (std::size_t i = 0; i < leading[axis].index.size(); ++i) {
      add(leading, axis + 1, row * (*axes_)[axis].size() + leading[axis].index[i], weight * leading[axis].weight[i],
          gathered);
    }
  }

  std::shared_ptr<const Axes> axes_;
  std::vector<std::size_t> shape_, row_begin_, columns_;
  std::vector<double> values_;
  std::vector<WaveletAxis::Weights> column_weights_;
};

}  // namespace

TensorWaveletBasis::TensorWaveletBasis(std::string_view filter) : filter_(wavelet_filter(filter)) {}
TensorWaveletBasis::~TensorWaveletBasis() = default;

std::string TensorWaveletBasis::name() const { return filter_.name + ":tensor"; }

void TensorWaveletBasis::train(const Table& table, std::span<const double>) {
  fix_shape(table);
  Axes axes;
  for (const std::size_t length : table.shape) axes.emplace_back(filter_, length);
  axes_ = std::make_shared<const Axes>(std::move(axes));
}

std::vector<double> TensorWaveletBasis::apply(std::span<const double> table) const {
  check_values(table);
  std::vector<double> values(table.begin(), table.end());
  std::size_t outer = 1, inner = values.size();
  for (const WaveletAxis& axis : *axes_) {
    inner /= axis.length();
    values = axis.analyse(std::move(values), outer, inner);
    outer *= axis.size();
  }
  return values;
}

std::vector<double> TensorWaveletBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> values(coefficients.begin(), coefficients.end());
  std::size_t outer = values.size(), inner = 1;
  for (std::size_t d = axes_->size(); d-- > 0;) {
    const WaveletAxis& axis = (*axes_)[d];
    outer /= axis.size();
    values = axis.synthesise(values, outer, inner);
    inner *= axis.length();
  }
  return values;
}

std::vector<Term> TensorWaveletBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    terms.push_back({i, i, coefficients[i] * coefficients[i], 1, orthonormal() && i == 0});
  }
  return terms;
}

std::unique_ptr<RowEvaluator> TensorWaveletBasis::evaluator(std::span<const double> coefficients,
                                                            std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<TensorRows>(axes_, coefficients, kept);
}

bool TensorWaveletBasis::orthonormal() const { return !axes_ || size() == table_size(shape()); }

std::size_t TensorWaveletBasis::size() const {
  if (!axes_) return 0;
  std::size_t size = 1;
  for (const WaveletAxis& axis : *axes_) size *= axis.size();
  return size;
}

}  // namespace mercer

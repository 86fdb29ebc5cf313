#include <algorithm>
#include <array>
#include <cassert>

#include "basis/table/roots_of_unity.hpp"
#include "basis/table/wavelet.hpp"
#include "mercer/basis.hpp"

namespace mercer {

/// All levels of the transform of one axis: `length` entries become `size` coefficients, [a | d coarsest ... d finest].
class WaveletAxis {
 public:
  WaveletAxis(const WaveletFilter& filter, std::size_t length);

  std::size_t length() const { return length_; }
  std::size_t size() const { return size_; }

  /// outer x length x inner to outer x size x inner, and back.
  std::vector<double> analyse(std::vector<double> table, std::size_t outer, std::size_t inner) const;
  std::vector<double> synthesise(const std::vector<double>& coefficients, std::size_t outer, std::size_t inner) const;

  /// The coefficients that entry `position` is made of, each once, and their weights.
  struct Weights {
    std::vector<std::size_t> index;
    std::vector<double> weight;
  };
  void weights_at(std::size_t position, Weights& out) const;

 private:
  // Where the details of a level (0 the finest) begin.
  std::size_t offset(std::size_t level) const { return offsets_[level]; }

  std::size_t length_, size_;
  std::vector<WaveletStep> steps_;
  std::vector<std::size_t> offsets_;
};

WaveletAxis::WaveletAxis(const WaveletFilter& filter, std::size_t length) : length_(length), size_(1) {
  for (std::size_t left = length; left > 1; left = steps_.back().half()) {
    steps_.push_back(WaveletStep::aligned(filter, left));
  }
  offsets_.resize(steps_.size());
  for (std::size_t level = steps_.size(); level-- > 0;) {
    offsets_[level] = size_;
    size_ += steps_[level].half();
  }
}

std::vector<double> WaveletAxis::analyse(std::vector<double> table, std::size_t outer, std::size_t inner) const {
  std::vector<double> out(outer * size_ * inner), both;
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    const std::size_t run = steps_[level].half() * inner;
    both.resize(outer * 2 * run);
    steps_[level].analyse(table.data(), both.data(), outer, inner);
    table.resize(outer * run);
    for (std::size_t i = 0; i < outer; ++i) {
      std::copy_n(both.data() + 2 * i * run, run, table.data() + i * run);
      std::copy_n(both.data() + (2 * i + 1) * run, run, out.data() + (i * size_ + offset(level)) * inner);
    }
  }
  for (std::size_t i = 0; i < outer; ++i) std::copy_n(table.data() + i * inner, inner, out.data() + i * size_ * inner);
  return out;
}

std::vector<double> WaveletAxis::synthesise(const std::vector<double>& coefficients, std::size_t outer,
                                            std::size_t inner) const {
  std::vector<double> table(outer * inner), both;
  for (std::size_t i = 0; i < outer; ++i) {
    std::copy_n(coefficients.data() + i * size_ * inner, inner, table.data() + i * inner);
  }
  for (std::size_t level = steps_.size(); level-- > 0;) {
    const std::size_t run = steps_[level].half() * inner;
    both.resize(outer * 2 * run);
    for (std::size_t i = 0; i < outer; ++i) {
      std::copy_n(table.data() + i * run, run, both.data() + 2 * i * run);
      std::copy_n(coefficients.data() + (i * size_ + offset(level)) * inner, run, both.data() + (2 * i + 1) * run);
    }
    table.resize(outer * steps_[level].length() * inner);
    steps_[level].synthesise(both.data(), table.data(), outer, inner);
  }
  return table;
}

void WaveletAxis::weights_at(std::size_t position, Weights& out) const {
  out.index.clear();
  out.weight.clear();
  // The scaling functions of a level that are not zero here; a dozen, so they are found by looking.
  struct Present {
    std::size_t index;
    double low, high;
  };
  thread_local std::vector<Present> finer, here;
  finer.assign({{position, 1, 0}});
  for (std::size_t level = 0; level < steps_.size(); ++level) {
    here.clear();
    for (const Present& from : finer) {
      steps_[level].for_each_tap(from.index, [&](std::size_t index, double low, double high) {
        auto found = std::ranges::find(here, index, &Present::index);
        if (found == here.end()) found = here.insert(here.end(), {index, 0, 0});
        found->low += from.low * low;
        found->high += from.low * high;
      });
    }
    for (const Present& present : here) {
      out.index.push_back(offset(level) + present.index);
      out.weight.push_back(present.high);
    }
    std::swap(finer, here);
  }
  out.index.push_back(0);
  out.weight.push_back(finer[0].low);
}

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

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>

#include "basis/table/wavelet.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

std::size_t product(std::span<const std::size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
}

// Memory that grows and is not cleared first.
class Buffer {
 public:
  double* at_least(std::size_t size) {
    if (size > size_) {
      values_ = std::make_unique_for_overwrite<double[]>(size);
      size_ = size;
    }
    return values_.get();
  }

 private:
  std::unique_ptr<double[]> values_;
  std::size_t size_ = 0;
};

// Copies between one band and its corner of the array that holds all bands of a level (every axis twice as long).
template <class Copy>
void for_each_run(std::span<const std::size_t> band, unsigned high, Copy copy) {
  const std::size_t run = band.back();
  const std::size_t runs = product(band) / run;
  for (std::size_t index = 0; index < runs; ++index) {
    std::size_t rest = index, place = 0, stride = 2 * run;
    for (std::size_t axis = band.size() - 1; axis-- > 0;) {
      place += (rest % band[axis] + (high >> axis & 1U) * band[axis]) * stride;
      rest /= band[axis];
      stride *= 2 * band[axis];
    }
    place += (high >> (band.size() - 1) & 1U) * run;
    copy(index * run, place, run);
  }
}

}  // namespace

void check_wavelet_level(std::size_t level) {
  require_in_range("level of a wavelet transform", static_cast<double>(level), 0, 40,
                   "Each level halves every axis; leave the level out for the usual depth");
}

WaveletPlan::WaveletPlan(std::vector<std::size_t> table_shape, const WaveletFilter& filter, WaveletMode mode,
                         std::size_t levels)
    : shape(std::move(table_shape)) {
  table_size(shape);
  check_wavelet_level(levels);
  for (std::size_t level = 1; level <= levels; ++level) {
    std::vector<WaveletStep> axes;
    for (const std::size_t length : shape_at(level - 1)) axes.emplace_back(filter, mode, length);
    steps.push_back(std::move(axes));
  }
  const auto add = [&](std::size_t level, unsigned high) {
    const std::vector<std::size_t> of_band = shape_at(level);
    bands.push_back({level, high, of_band, size, product(of_band)});
    size += bands.back().size;
  };
  add(levels, 0);
  for (std::size_t level = levels; level > 0; --level) {
    for (unsigned high = 1; high < 1U << shape.size(); ++high) add(level, high);
  }
}

std::vector<std::size_t> WaveletPlan::shape_at(std::size_t level) const {
  if (level == 0) return shape;
  std::vector<std::size_t> result;
  for (const WaveletStep& step : steps[level - 1]) result.push_back(step.half());
  return result;
}

void WaveletPlan::decompose(std::span<const double> table, std::span<double* const> targets) const {
  if (levels() == 0) std::ranges::copy(table, targets[0]);
  const double* current = table.data();
  std::array<Buffer, 2> leading, approximation;
  const std::size_t last = shape.size() - 1;
  for (std::size_t level = 1; level <= levels(); ++level) {
    const std::vector<WaveletStep>& axes = steps[level - 1];
    const double* from = current;
    std::size_t rows = 1, inner = product(shape_at(level - 1));
    for (std::size_t axis = 0; axis + 1 < last; ++axis) {
      inner /= axes[axis].length();
      double* const to = leading[axis % 2].at_least(rows * 2 * axes[axis].half() * inner);
      axes[axis].analyse(from, to, rows, inner);
      rows *= 2 * axes[axis].half();
      from = to;
    }
    // The last two axes go straight to the bands: large tables are not copied on the way.
    double* const next = level == levels() ? targets[0] : approximation[level % 2].at_least(product(shape_at(level)));
    const std::size_t columns = axes[last].half();
    const auto places = [&](std::size_t row) {
      unsigned high = 0;
      std::size_t index = 0, stride = columns;
      for (std::size_t axis = last; axis-- > 0;) {
        const std::size_t half = axes[axis].half();
        const std::size_t place = row % (2 * half);
        row /= 2 * half;
        if (place >= half) high |= 1U << axis;
        index += place % half * stride;
        stride *= half;
      }
      double* const low = high == 0 ? next : targets[detail(level, high)];
      return WaveletStep::Places{low + index, targets[detail(level, high | 1U << last)] + index};
    };
    if (last == 0) {
      axes[last].analyse_rows(from, rows, places);
    } else {
      axes[last - 1].analyse_with_rows(axes[last], from, rows, places);
    }
    current = next;
  }
}

void WaveletPlan::decompose(std::span<const double> table, std::span<double> coefficients) const {
  std::vector<double*> targets;
  for (const Band& band : bands) targets.push_back(coefficients.data() + band.offset);
  decompose(table, targets);
}

void WaveletPlan::reconstruct(std::span<const double> coefficients, std::span<double> table) const {
  std::vector<double> approximation(coefficients.begin(),
                                    coefficients.begin() + static_cast<std::ptrdiff_t>(bands[0].size));
  std::vector<double> work;
  std::size_t first = 1;
  const std::size_t details = (std::size_t{1} << shape.size()) - 1;
  for (std::size_t level = levels(); level > 0; --level, first += details) {
    const std::vector<std::size_t> of_band = shape_at(level);
    work.resize(product(of_band) << shape.size());
    for_each_run(of_band, 0, [&](std::size_t in_band, std::size_t in_level, std::size_t run) {
      std::copy_n(approximation.data() + in_band, run, work.data() + in_level);
    });
    for (std::size_t i = first; i < first + details; ++i) {
      for_each_run(of_band, bands[i].high, [&](std::size_t in_band, std::size_t in_level, std::size_t run) {
        std::copy_n(coefficients.data() + bands[i].offset + in_band, run, work.data() + in_level);
      });
    }
    // Last axis first: what lies inside is then already as short as the table.
    std::size_t outer = work.size(), inner = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      const WaveletStep& step = steps[level - 1][axis];
      outer /= 2 * step.half();
      approximation.resize(outer * step.length() * inner);
      step.synthesise(work.data(), approximation.data(), outer, inner);
      std::swap(approximation, work);
      inner *= step.length();
    }
    std::swap(approximation, work);
  }
  std::ranges::copy(approximation, table.begin());
}

}  // namespace mercer

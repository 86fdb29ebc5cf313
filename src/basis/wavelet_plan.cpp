#include "basis/wavelet_plan.hpp"

#include <algorithm>
#include <numeric>

#include "mercer/core/error.hpp"

namespace mercer {
namespace {

std::size_t product(std::span<const std::size_t> lengths) {
  return std::accumulate(lengths.begin(), lengths.end(), std::size_t{1}, std::multiplies<>());
}

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

void WaveletPlan::decompose(std::span<const double> table, std::span<double> coefficients) const {
  std::vector<double> approximation(table.begin(), table.end());
  std::vector<double> work;
  std::size_t finest = bands.size();  // bands of finer levels have been written
  const std::size_t details = (std::size_t{1} << shape.size()) - 1;
  for (std::size_t level = 1; level <= levels(); ++level) {
    std::size_t outer = 1, inner = approximation.size();
    for (const WaveletStep& step : steps[level - 1]) {
      inner /= step.length();
      work.resize(outer * 2 * step.half() * inner);
      step.analyse(approximation.data(), work.data(), outer, inner);
      std::swap(approximation, work);
      outer *= 2 * step.half();
    }
    finest -= details;
    for (std::size_t i = 0; i < details; ++i) {
      const Band& band = bands[finest + i];
      for_each_run(band.shape, band.high, [&](std::size_t in_band, std::size_t in_level, std::size_t run) {
        std::copy_n(approximation.data() + in_level, run, coefficients.data() + band.offset + in_band);
      });
    }
    const std::vector<std::size_t> of_band = shape_at(level);
    work.resize(product(of_band));
    for_each_run(of_band, 0, [&](std::size_t in_band, std::size_t in_level, std::size_t run) {
      std::copy_n(approximation.data() + in_level, run, work.data() + in_band);
    });
    std::swap(approximation, work);
  }
  std::ranges::copy(approximation, coefficients.begin());
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

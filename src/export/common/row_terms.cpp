#include "export/common/row_terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "basis/table/roots_of_unity.hpp"
#include "basis/table/wavelet.hpp"
#include "embed/lattice/truncate_table.hpp"
#include "mercer/basis.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Place on every axis of an entry of the table.
std::vector<std::uint32_t> places_of(std::span<const std::size_t> shape, std::size_t entry) {
  std::vector<std::uint32_t> places(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; entry /= shape[axis])
    places[axis] = static_cast<std::uint32_t>(entry % shape[axis]);
  return places;
}

void add_waves(const LatticeCode& code, RowTerms& terms) {
  const std::size_t columns = terms.shape.back();
  const std::vector<std::size_t> opposite = opposite_rows(terms.shape);
  const double single = 1 / std::sqrt(static_cast<double>(opposite.size() * columns));
  struct Parts {
    double real = 0, imaginary = 0;
  };
  std::map<std::size_t, Parts> waves;  // both halves of a pair make one
  for (std::size_t i = 0; i < code.kept.size(); ++i) {
    const std::size_t own = code.kept[i], row = own / columns, column = own % columns;
    const std::size_t other = opposite[row] * columns + (column == 0 ? 0 : columns - column);
    const double value = single * code.numbers[i];
    if (own == other) {
      waves[own].real += value;
    } else if (own < other) {
      waves[own].real += std::numbers::sqrt2 * value;
    } else {
      waves[other].imaginary += std::numbers::sqrt2 * value;
    }
  }
  for (const auto& [entry, wave] : waves) {
    terms.amplitudes.push_back(std::hypot(wave.real, wave.imaginary));
    const double phase = std::atan2(wave.imaginary, wave.real) / (2 * std::numbers::pi) + 0.25;
    terms.phases.push_back(phase - std::floor(phase));
    const std::vector<std::uint32_t> index = places_of(terms.shape, entry);
    terms.index.insert(terms.index.end(), index.begin(), index.end());
  }
}

void add_cosines(const LatticeCode& code, RowTerms& terms) {
  for (std::size_t i = 0; i < code.kept.size(); ++i) {
    const std::vector<std::uint32_t> index = places_of(terms.shape, code.kept[i]);
    double amplitude = code.numbers[i];
    for (std::size_t axis = 0; axis < terms.axes(); ++axis)
      amplitude *= std::sqrt((index[axis] == 0 ? 1 : 2) / static_cast<double>(terms.shape[axis]));
    terms.amplitudes.push_back(amplitude);
    terms.index.insert(terms.index.end(), index.begin(), index.end());
  }
}

void add_bands(const LatticeCode& code, const WaveletFilter& filter, WaveletMode mode, std::size_t levels,
               RowTerms& terms) {
  const WaveletPlan plan(terms.shape, filter, mode, levels);
  terms.shift = mode == WaveletMode::periodization ? filter.dec_lo.size() / 2 : 1;
  for (std::size_t axis = 0; axis < terms.axes(); ++axis) {
    for (std::size_t level = 0; level <= levels; ++level)
      terms.lengths[axis].push_back(static_cast<std::uint32_t>(plan.shape_at(level)[axis]));
  }
  std::size_t at = 0;
  for (const WaveletPlan::Band& band : plan.bands) {
    for (; at < code.kept.size() && code.kept[at] < band.offset + band.size; ++at) {
      const std::vector<std::uint32_t> index = places_of(band.shape, code.kept[at] - band.offset);
      terms.amplitudes.push_back(code.numbers[at]);
      for (std::size_t axis = 0; axis < terms.axes(); ++axis) {
        terms.index.push_back(index[axis]);
        terms.level.push_back(static_cast<std::uint32_t>(2 * band.level + (band.high >> axis & 1U)));
      }
    }
  }
}

// Each axis has all its levels, [a | d coarsest ... d finest].
void add_tensor_wavelets(const LatticeCode& code, const WaveletFilter& filter, RowTerms& terms) {
  terms.shift = filter.dec_lo.size() - 1;
  std::vector<std::size_t> sizes;
  for (std::size_t axis = 0; axis < terms.axes(); ++axis) {
    auto length = static_cast<std::uint32_t>(terms.shape[axis]);
    std::size_t size = 1;
    for (terms.lengths[axis].push_back(length); length > 1; terms.lengths[axis].push_back(length)) {
      length = (length + 1) / 2;
      size += length;
    }
    sizes.push_back(size);
  }
  for (std::size_t i = 0; i < code.kept.size(); ++i) {
    const std::vector<std::uint32_t> places = places_of(sizes, code.kept[i]);
    terms.amplitudes.push_back(code.numbers[i]);
    for (std::size_t axis = 0; axis < terms.axes(); ++axis) {
      const std::vector<std::uint32_t>& lengths = terms.lengths[axis];
      std::uint32_t rest = places[axis];
      auto level = static_cast<std::uint32_t>(lengths.size() - 1);
      const bool high = rest > 0;
      for (rest -= high ? 1 : 0; high && rest >= lengths[level]; --level) rest -= lengths[level];
      terms.index.push_back(rest);
      terms.level.push_back(2 * level + (high ? 1 : 0));
    }
  }
}

void add_wavelets(const LatticeCode& code, RowTerms& terms) {
  const WaveletFilter filter = wavelet_filter(code.basis.wavelet.filter);
  terms.low = filter.dec_lo;
  terms.high = filter.dec_hi;
  terms.lengths.resize(terms.axes());
  if (code.basis.family == BasisFamily::tensor_wavelet) {
    add_tensor_wavelets(code, filter, terms);
  } else {
    WaveletBasis basis(code.basis.wavelet);
    basis.train({terms.shape, std::vector<double>(table_size(terms.shape))});
    add_bands(code, filter, code.basis.wavelet.mode, basis.level(), terms);
  }
  for (std::size_t axis = 0; axis < terms.axes(); ++axis) {
    for (std::uint32_t place = 0; place < terms.shape[axis]; ++place) {
      for (const Present& present : present_at(terms, axis, place))
        terms.most_present = std::max(terms.most_present, present.index.size());
    }
  }
}

}  // namespace

std::vector<Present> present_at(const RowTerms& terms, std::size_t axis, std::uint32_t place) {
  std::vector<Present> levels{{{place}, {1}, {0}}};
  for (std::size_t level = 1; level < terms.lengths[axis].size(); ++level) {
    Present here;
    const auto half = static_cast<std::int64_t>(terms.lengths[axis][level]);
    const Present& finer = levels.back();
    for (std::size_t i = 0; i < finer.index.size(); ++i) {
      for (std::size_t tap = (finer.index[i] + terms.shift) % 2; tap < terms.low.size(); tap += 2) {
        std::int64_t number =
            (static_cast<std::int64_t>(finer.index[i] + tap) - static_cast<std::int64_t>(terms.shift)) / 2 % half;
        number += number < 0 ? half : 0;
        std::size_t k = 0;
        while (k < here.index.size() && here.index[k] != number) ++k;
        if (k == here.index.size()) {
          here.index.push_back(static_cast<std::uint32_t>(number));
          here.low.push_back(0);
          here.high.push_back(0);
        }
        here.low[k] += finer.low[i] * terms.low[tap];
        here.high[k] += finer.low[i] * terms.high[tap];
      }
    }
    levels.push_back(std::move(here));
  }
  return levels;
}

RowTerms row_terms(const LatticeController& controller) {
  const LatticeCode& code = controller.code;
  if (code.basis.row_by_row()) {
    throw Error(ErrorCode::bad_value,
                fmt::format("'{}' writes every row by itself and has no coefficients", to_text(code.basis)),
                "Export with --mode table");
  }
  if (code.basis.family == BasisFamily::printed_fourier) {
    throw Error(ErrorCode::bad_value, "basis fourier:printed is kept to show what the published pseudocode does",
                "Export with --mode table");
  }
  if (!code.own.empty()) {
    throw Error(ErrorCode::bad_value, "cells with action edges of their own need them all beside the coefficients",
                "Export with --mode table");
  }
  RowTerms terms;
  terms.shape = controller.layout.shape;
  terms.columns = controller.layout.columns;
  terms.leading = code.order == RowOrder::axes ? controller.states().dimensions() : 1;
  if (std::ranges::max(terms.shape) > 32767) {
    throw Error(ErrorCode::too_large,
                fmt::format("an axis of {} rows; legal: up to 32767", std::ranges::max(terms.shape)),
                "Export with --mode table");
  }
  if (code.basis.family == BasisFamily::fourier) {
    add_waves(code, terms);
  } else if (code.basis.family == BasisFamily::dct) {
    terms.kind = RowTerms::Kind::cosines;
    add_cosines(code, terms);
  } else if (code.basis.family == BasisFamily::svd) {
    terms.kind = RowTerms::Kind::factors;
    terms.rank = code.k;
    terms.centre = svd_centre(code.basis.svd, terms.columns);
    const auto middle = code.numbers.begin() + static_cast<std::ptrdiff_t>(controller.layout.rows * code.k);
    terms.left.assign(code.numbers.begin(), middle);
    terms.right.assign(middle, code.numbers.end());
  } else {
    terms.kind = RowTerms::Kind::wavelets;
    add_wavelets(code, terms);
  }
  return terms;
}

}  // namespace mercer

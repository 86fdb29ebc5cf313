#include <algorithm>
#include <array>
#include <utility>

#include "basis/table/wavelet.hpp"
#include "mercer/parallel.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_taps = 20;
constexpr std::size_t entries_per_block = 1 << 15;  // below that, handing out work costs more than it saves

// Loops over the taps are unrolled for each filter length: kernels are templates on half that length, one to ten.
template <class Kernel, std::size_t... Indices>
void with_half_taps(std::size_t half_taps, Kernel kernel, std::index_sequence<Indices...>) {
  ((half_taps == Indices + 1 ? kernel(std::integral_constant<std::size_t, Indices + 1>()) : void()), ...);
}
template <class Kernel>
void with_half_taps(std::size_t half_taps, Kernel kernel) {
  with_half_taps(half_taps, kernel, std::make_index_sequence<most_taps / 2>());
}

// Rows of the transposed problem: out[i] = sum_t weights[t] rows[t][i], for two sets of weights at once.
template <std::size_t Taps>
void combine_two(const std::array<const double*, most_taps>& rows, const double* low, const double* high,
                 std::size_t count, double* out_low, double* out_high) {
  for (std::size_t i = 0; i < count; ++i) {
    double sum_low = 0, sum_high = 0;
    for (std::size_t tap = 0; tap < Taps; ++tap) {
      sum_low += low[tap] * rows[tap][i];
      sum_high += high[tap] * rows[tap][i];
    }
    out_low[i] = sum_low;
    out_high[i] = sum_high;
  }
}

template <std::size_t Taps>
void combine(const std::array<const double*, most_taps>& rows, const double* weights, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (std::size_t tap = 0; tap < Taps; ++tap) sum += weights[tap] * rows[tap][i];
    out[i] = sum;
  }
}

std::size_t block_of(std::size_t entries_per_item) {
  return std::max<std::size_t>(1, entries_per_block / std::max<std::size_t>(1, entries_per_item));
}

// Small loops run on the calling thread.
template <class Body>
void over_blocks(std::size_t items, std::size_t entries_per_item, Body body) {
  const std::size_t size = block_of(entries_per_item);
  if (items <= size) {
    if (items > 0) body(Block{0, 0, items});
  } else {
    for_each_block(items, size, body);
  }
}

}  // namespace

WaveletStep::WaveletStep(const WaveletFilter& filter, WaveletMode mode, std::size_t length)
    : WaveletStep(filter, mode == WaveletMode::periodization,
                  mode == WaveletMode::periodization ? filter.dec_lo.size() / 2 : 1, length) {}

WaveletStep WaveletStep::aligned(const WaveletFilter& filter, std::size_t length) {
  return {filter, true, filter.dec_lo.size() - 1, length};
}

WaveletStep::WaveletStep(const WaveletFilter& filter, bool periodic, std::size_t shift, std::size_t length)
    : length_(length),
      shift_(shift),
      dec_lo_(filter.dec_lo),
      dec_hi_(filter.dec_hi),
      rec_lo_(filter.rec_lo),
      rec_hi_(filter.rec_hi) {
  const std::size_t taps = dec_lo_.size();
  const std::size_t even = length + length % 2;
  half_ = periodic ? even / 2 : (length + taps - 1) / 2;
  // low[o] = sum_j rec_lo[j] x(2 o + j + shift - (taps - 1)), x extended beyond its ends.
  const std::size_t period = periodic ? even : 2 * length;
  source_.resize(2 * half_ + taps - 2);
  for (std::size_t place = 0; place < source_.size(); ++place) {
    const std::size_t position = (place + shift_ + (taps - 1) * (period - 1)) % period;  // - (taps - 1), kept positive
    if (position < length) {
      source_[place] = position;
    } else {
      source_[place] = periodic ? length - 1 : 2 * length - 1 - position;
    }
  }
}

void WaveletStep::combine_rows(const double* from, std::size_t o, std::size_t inner, Places to) const {
  const std::size_t half_taps = dec_lo_.size() / 2;
  std::array<const double*, most_taps> rows{};
  for (std::size_t tap = 0; tap < 2 * half_taps; ++tap) rows[tap] = from + source_[2 * o + tap] * inner;
  with_half_taps(half_taps, [&](auto count) {
    combine_two<2 * decltype(count)::value>(rows, rec_lo_.data(), rec_hi_.data(), inner, to.low, to.high);
  });
}

void WaveletStep::analyse(const double* in, double* out, std::size_t outer, std::size_t inner) const {
  over_blocks(outer * half_, 2 * inner, [&](Block block) {
    for (std::size_t item = block.begin; item < block.end; ++item) {
      const std::size_t o = item % half_;
      double* const to = out + item / half_ * 2 * half_ * inner;
      combine_rows(in + item / half_ * length_ * inner, o, inner, {to + o * inner, to + (half_ + o) * inner});
    }
  });
}

// Even and odd places are taken apart first; then every sum runs over unit strides.
void WaveletStep::analyse_row(const double* from, std::vector<double>& apart, Places to) const {
  const std::size_t half_taps = dec_lo_.size() / 2;
  const std::size_t places = half_ + half_taps - 1;
  apart.resize(2 * places);
  for (std::size_t place = 0; place < places; ++place) {
    apart[place] = from[source_[2 * place]];
    apart[places + place] = from[source_[2 * place + 1]];
  }
  std::array<const double*, most_taps> rows{};
  for (std::size_t tap = 0; tap < 2 * half_taps; ++tap) rows[tap] = apart.data() + tap % 2 * places + tap / 2;
  with_half_taps(half_taps, [&](auto count) {
    combine_two<2 * decltype(count)::value>(rows, rec_lo_.data(), rec_hi_.data(), half_, to.low, to.high);
  });
}

void WaveletStep::analyse_rows(const double* in, std::size_t rows, const PlacesOf& places) const {
  over_blocks(rows, 2 * half_, [&](Block block) {
    std::vector<double> apart;
    for (std::size_t row = block.begin; row < block.end; ++row) analyse_row(in + row * length_, apart, places(row));
  });
}

void WaveletStep::analyse_with_rows(const WaveletStep& along, const double* in, std::size_t outer,
                                    const PlacesOf& places) const {
  const std::size_t inner = along.length();
  over_blocks(outer * half_, 2 * inner, [&](Block block) {
    std::vector<double> apart, low(inner), high(inner);
    for (std::size_t item = block.begin; item < block.end; ++item) {
      combine_rows(in + item / half_ * length_ * inner, item % half_, inner, {low.data(), high.data()});
      const std::size_t row = item / half_ * 2 * half_ + item % half_;
      along.analyse_row(low.data(), apart, places(row));
      along.analyse_row(high.data(), apart, places(row + half_));
    }
  });
}

void WaveletStep::synthesise(const double* in, double* out, std::size_t outer, std::size_t inner) const {
  const std::size_t half_taps = dec_lo_.size() / 2;
  // Each entry meets every other tap, low-pass and high-pass: as many terms as the filter is long.
  std::array<std::array<double, most_taps>, 2> weights{};
  for (std::size_t parity = 0; parity < 2; ++parity) {
    for (std::size_t i = 0; i < half_taps; ++i) {
      const std::size_t tap = (parity + shift_) % 2 + 2 * i;
      weights[parity][i] = dec_lo_[tap];
      weights[parity][half_taps + i] = dec_hi_[tap];
    }
  }
  if (inner > 1) {
    over_blocks(outer * length_, inner, [&](Block block) {
      std::array<const double*, most_taps> rows{};
      for (std::size_t item = block.begin; item < block.end; ++item) {
        const std::size_t position = item % length_;
        const double* const from = in + item / length_ * 2 * half_ * inner;
        std::size_t i = 0;
        for_each_tap(position, [&](std::size_t index, double, double) {
          rows[i] = from + index * inner;
          rows[half_taps + i++] = from + (half_ + index) * inner;
        });
        with_half_taps(half_taps, [&](auto count) {
          combine<2 * decltype(count)::value>(rows, weights[position % 2].data(), inner, out + item * inner);
        });
      }
    });
    return;
  }
  // Coefficients are laid out with their continuation beyond the ends, so that positions of one parity make one sum.
  const std::size_t positions = (length_ + 1) / 2;
  const std::size_t places = positions + half_taps;
  const std::size_t start = coefficient(0, shift_ % 2);  // of the first tap of position 0
  const std::size_t lead = shift_ % 2 == 0 ? 1 : 0;      // an odd position may begin one coefficient later
  over_blocks(outer, 2 * half_, [&](Block block) {
    std::vector<double> extended(2 * places), apart(2 * positions);
    for (std::size_t item = block.begin; item < block.end; ++item) {
      const double* const from = in + item * 2 * half_;
      for (std::size_t place = 0, index = start; place < places; ++place) {
        extended[place] = from[index];
        extended[places + place] = from[half_ + index];
        index = index + 1 == half_ ? 0 : index + 1;
      }
      for (std::size_t parity = 0; parity < 2; ++parity) {
        std::array<const double*, most_taps> rows{};
        for (std::size_t i = 0; i < half_taps; ++i) {
          rows[i] = extended.data() + parity * lead + i;
          rows[half_taps + i] = rows[i] + places;
        }
        with_half_taps(half_taps, [&](auto count) {
          combine<2 * decltype(count)::value>(rows, weights[parity].data(), positions,
                                              apart.data() + parity * positions);
        });
      }
      for (std::size_t position = 0; position < length_; ++position) {
        out[item * length_ + position] = apart[position % 2 * positions + position / 2];
      }
    }
  });
}

}  // namespace mercer

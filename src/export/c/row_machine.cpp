#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "export/c/fixed_plan.hpp"
#include "export/c/machine.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

using Kind = RowTerms::Kind;

std::int32_t scaled(double value, double unit) { return static_cast<std::int32_t>(std::llround(value / unit)); }

// The smallest unit of what is summed to a row. Next to nothing, as for a policy that does the same everywhere, needs
// no digits of its own, and in a smaller unit 1 would not fit 64 bits.
constexpr double finest = 0x1p-50;

double largest(const std::vector<double>& numbers) {
  double most = 1e-30;
  for (const double number : numbers) most = std::max(most, std::abs(number));
  return most;
}

// What the terms add up to at most: amplitudes times the largest weight of their level on each axis.
double largest_sum(const RowTerms& terms) {
  std::vector<std::vector<double>> weights(terms.lengths.size());  // by axis, twice the level, 1 more for high-pass
  for (std::size_t axis = 0; axis < weights.size(); ++axis) {
    weights[axis].resize(2 * terms.lengths[axis].size());
    for (std::uint32_t place = 0; place < terms.shape[axis]; ++place) {
      const std::vector<Present> levels = present_at(terms, axis, place);
      for (std::size_t l = 0; l < levels.size(); ++l) {
        weights[axis][2 * l] = std::max(weights[axis][2 * l], largest(levels[l].low));
        weights[axis][2 * l + 1] = std::max(weights[axis][2 * l + 1], largest(levels[l].high));
      }
    }
  }
  double sum = 1e-30;
  for (std::size_t j = 0; j < terms.count(); ++j) {
    double most = std::abs(terms.amplitudes[j]);
    for (std::size_t axis = 0; axis < weights.size(); ++axis)
      most *= weights[axis][terms.level[j * terms.axes() + axis]];
    sum += most;
  }
  return 1.01 * sum;
}

// Places of action cell c on the axes behind the leading ones, the last first.
template <class Visit>
void for_action_axes(const RowTerms& terms, std::uint32_t c, Visit visit) {
  for (std::size_t axis = terms.axes(); axis-- > terms.leading;) {
    const auto length = static_cast<std::uint32_t>(terms.shape[axis]);
    visit(axis, c % length);
    c /= length;
  }
}

// A row sums to less than 2^34, so that with actions of 28 bits its mean fits 64; so does one, spread over all columns.
void choose_shift(FixedRows& made, double most, double one, std::size_t columns) {
  const double room = std::min(0x1p29, 0x1p34 / static_cast<double>(columns));
  while (std::ldexp(most, -made.row_shift) >= room ||
         std::ldexp(one, -made.row_shift) >= room * static_cast<double>(columns))
    ++made.row_shift;
  made.one = std::llround(std::ldexp(one, -made.row_shift));
}

// The same halving as in C: weights of Number with products through `times`.
template <class Number, class Times>
Number weight_at(const RowTerms& terms, std::span<const Number> low_taps, std::span<const Number> high_taps, Number one,
                 std::size_t axis, std::uint32_t place, std::uint32_t level, std::uint32_t index, Times times) {
  std::vector<std::uint32_t> at{place};
  std::vector<Number> low{one}, high{0};
  for (std::uint32_t l = 1; l <= level / 2; ++l) {
    std::vector<std::uint32_t> next;
    std::vector<Number> next_low, next_high;
    const auto half = static_cast<std::int64_t>(terms.lengths[axis][l]);
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t tap = (at[i] + terms.shift) % 2; tap < low_taps.size(); tap += 2) {
        std::int64_t number =
            (static_cast<std::int64_t>(at[i] + tap) - static_cast<std::int64_t>(terms.shift)) / 2 % half;
        number += number < 0 ? half : 0;
        std::size_t k = 0;
        while (k < next.size() && next[k] != number) ++k;
        if (k == next.size())
          next.push_back(static_cast<std::uint32_t>(number)), next_low.push_back(0), next_high.push_back(0);
        next_low[k] += times(low[i], low_taps[tap]);
        next_high[k] += times(low[i], high_taps[tap]);
      }
    }
    at = std::move(next), low = std::move(next_low), high = std::move(next_high);
  }
  for (std::size_t k = 0; k < at.size(); ++k) {
    if (at[k] == index) return (level & 1U) != 0 ? high[k] : low[k];
  }
  return 0;
}

}  // namespace

FixedRows fixed_rows(const RowTerms& terms) {
  if (terms.columns > 4096) {
    throw Error(ErrorCode::too_large, fmt::format("{} action cells in fixed point; legal: up to 4096", terms.columns),
                "Export with --mode table");
  }
  FixedRows made;
  if (terms.kind == Kind::factors) {
    const double right = largest(terms.right) / 32767;
    const double left = std::max(largest(terms.left) / 32767, finest / right);
    for (const double number : terms.left) made.left.push_back(scaled(number, left));
    for (const double number : terms.right) made.right.push_back(scaled(number, right));
    made.centre = std::llround(terms.centre / (left * right));
    double most = 0;
    for (std::size_t row = 0; row < terms.left.size() / terms.rank; ++row) {
      double sum = std::abs(static_cast<double>(made.centre));
      for (std::size_t i = 0; i < terms.rank; ++i) sum += std::abs(made.left[row * terms.rank + i]) * 32767.0;
      most = std::max(most, sum);
    }
    choose_shift(made, most, 1 / (left * right), terms.columns);
    return made;
  }
  const double sum = largest_sum(terms);
  const double unit = std::max({sum / 0x1p29, largest(terms.amplitudes) / 0x1p30, finest});
  for (const double amplitude : terms.amplitudes) made.amplitudes.push_back(scaled(amplitude, unit));
  for (const double phase : terms.phases) made.phases.push_back(scaled(phase, 1.0 / (1 << FixedRows::q)));
  for (const double tap : terms.low) made.low.push_back(scaled(tap, 1.0 / (1 << FixedRows::q)));
  for (const double tap : terms.high) made.high.push_back(scaled(tap, 1.0 / (1 << FixedRows::q)));
  choose_shift(made, sum / unit, 1 / unit, terms.columns);
  if (terms.kind == Kind::waves) made.row_shift += FixedRows::q;
  return made;
}

std::vector<float> float_row(const RowTerms& terms, std::span<const std::uint32_t> at) {
  std::vector<float> row(terms.columns, terms.kind == Kind::factors ? static_cast<float>(terms.centre) : 0.0F);
  const std::vector<float> low(terms.low.begin(), terms.low.end()), high(terms.high.begin(), terms.high.end());
  const auto length = [&](std::size_t axis) { return static_cast<std::uint32_t>(terms.shape[axis]); };
  const auto part = [&](std::size_t j, std::size_t axis, std::uint32_t x) -> float {
    const std::uint32_t index = terms.kind == Kind::factors ? 0 : terms.index[j * terms.axes() + axis];
    const std::uint32_t n = length(axis);
    if (terms.kind == Kind::waves) return static_cast<float>(index * x % n) / static_cast<float>(n);
    if (terms.kind == Kind::cosines)
      return float_sine(static_cast<float>(index * (2 * x + 1) % (4 * n)) / static_cast<float>(4 * n) + 0.25F);
    return weight_at<float>(terms, low, high, 1, axis, x, terms.level[j * terms.axes() + axis], index,
                            [](float a, float b) { return a * b; });
  };
  for (std::size_t j = 0; j < terms.count(); ++j) {
    if (terms.kind == Kind::factors) {
      for (std::size_t c = 0; c < terms.columns; ++c)
        row[c] += static_cast<float>(terms.left[at[0] * terms.rank + j]) *
                  static_cast<float>(terms.right[j * terms.columns + c]);
      continue;
    }
    const bool waves = terms.kind == Kind::waves;
    const auto amplitude = static_cast<float>(terms.amplitudes[j]);
    float lead = waves ? static_cast<float>(terms.phases[j]) : amplitude;
    for (std::size_t axis = 0; axis < terms.leading; ++axis)
      waves ? lead += part(j, axis, at[axis]) : lead *= part(j, axis, at[axis]);
    if (!waves && lead == 0) continue;
    for (std::uint32_t c = 0; c < terms.columns; ++c) {
      float own = lead;
      for_action_axes(terms, c, [&](std::size_t axis, std::uint32_t x) {
        waves ? own += part(j, axis, x) : own *= part(j, axis, x);
      });
      row[c] += waves ? amplitude * float_sine(own) : own;
    }
  }
  return row;
}

std::vector<std::int32_t> fixed_row(const RowTerms& terms, const FixedRows& fixed, std::span<const std::uint32_t> at) {
  std::vector<std::int64_t> sums(terms.columns, fixed.centre);
  const auto times = [](std::int64_t a, std::int64_t b) { return (a * b) >> FixedRows::q; };
  const auto part = [&](std::size_t j, std::size_t axis, std::uint32_t x) -> std::int64_t {
    const std::uint32_t index = terms.index[j * terms.axes() + axis];
    const auto n = static_cast<std::uint32_t>(terms.shape[axis]);
    const auto turns = [](std::uint64_t rest, std::uint64_t of) {
      return static_cast<std::int64_t>((rest << FixedRows::q) / of);
    };
    if (terms.kind == Kind::waves) return turns(index * x % n, n);
    if (terms.kind == Kind::cosines)
      return fixed_sine(turns(index * (2 * x + 1) % (4 * n), 4 * n) + (1 << (FixedRows::q - 2)), FixedRows::q);
    return weight_at<std::int32_t>(
        terms, fixed.low, fixed.high, 1 << FixedRows::q, axis, x, terms.level[j * terms.axes() + axis], index,
        [&](std::int32_t a, std::int32_t b) { return static_cast<std::int32_t>(times(a, b)); });
  };
  for (std::size_t j = 0; j < terms.count(); ++j) {
    if (terms.kind == Kind::factors) {
      for (std::size_t c = 0; c < terms.columns; ++c)
        sums[c] += std::int64_t{fixed.left[at[0] * terms.rank + j]} * fixed.right[j * terms.columns + c];
      continue;
    }
    const bool waves = terms.kind == Kind::waves;
    std::int64_t lead = waves ? fixed.phases[j] : fixed.amplitudes[j];
    for (std::size_t axis = 0; axis < terms.leading; ++axis)
      lead = waves ? lead + part(j, axis, at[axis]) : times(lead, part(j, axis, at[axis]));
    if (!waves && lead == 0) continue;
    for (std::uint32_t c = 0; c < terms.columns; ++c) {
      std::int64_t own = lead;
      for_action_axes(terms, c, [&](std::size_t axis, std::uint32_t x) {
        own = waves ? own + part(j, axis, x) : times(own, part(j, axis, x));
      });
      sums[c] += waves ? std::int64_t{fixed.amplitudes[j]} * fixed_sine(own, FixedRows::q) : own;
    }
  }
  std::vector<std::int32_t> row;
  for (const std::int64_t sum : sums) row.push_back(static_cast<std::int32_t>(sum >> fixed.row_shift));
  return row;
}

}  // namespace mercer

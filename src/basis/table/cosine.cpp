#include <algorithm>
#include <cassert>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <vector>

#include "basis/table/roots_of_unity.hpp"
#include "basis/table/transforms.hpp"
#include "mercer/basis.hpp"
#include "mercer/parallel.hpp"

namespace mercer {

/// The orthonormal cosine transform (or its inverse) along the middle axis of an outer x length x inner array. `in` and
/// `out` may be the same.
void cosine_along(std::span<const double> in, std::span<double> out, std::size_t outer, std::size_t length,
                  std::size_t inner, bool backward);

/// Sums of kept cosine terms, grouped by their frequency along the columns as in `FourierRows`.
class CosineRows final : public RowEvaluator {
 public:
  CosineRows(std::vector<std::size_t> shape, std::span<const double> coefficients, std::span<const std::size_t> kept);

  void row(std::size_t row, std::span<double> out) const override;
  double entry(std::size_t row, std::size_t column) const override;

 private:
  struct Group {
    std::size_t frequency;
    std::size_t begin, end;  // of its terms
  };
  double sum(const Group& group, std::size_t row) const;

  std::vector<std::size_t> shape_;
  std::vector<RootsOfUnity> turns_;  // of each axis: cos(pi (2x+1) k / 2n) is a multiple of a turn's 4n-th
  std::vector<Group> groups_;
  std::vector<double> amplitudes_;
  std::vector<std::vector<std::uint32_t>> frequencies_;  // of each leading axis, for each term
  std::vector<double> cosines_;                          // of each group at each column
};

namespace {

using Complex = std::complex<double>;

constexpr std::size_t signals = 2 * transforms::lanes;  // real ones, two in each complex lane
constexpr std::size_t groups_per_block = 8;

// cos and sin of pi k / 2n, and what makes frequency k orthonormal.
struct Twist {
  double cosine, sine, factor;
};

// The cosine transform of x is the Fourier transform of x put in the order 0, 2, 4, ..., 5, 3, 1, each frequency turned
// by pi k / 2n: with Z that, y[k] = 2 Re Z and y[n-k] = -2 Im Z. Two real signals share one complex transform.
class CosineAxis {
 public:
  CosineAxis(std::size_t length, bool backward) : n_(length), plan_(length, backward), twists_(length / 2 + 1) {
    const auto n = static_cast<double>(length);
    for (std::size_t k = 0; k < twists_.size(); ++k) {
      const double angle = std::numbers::pi * static_cast<double>(k) / (2 * n);
      const double of_zero = backward ? std::sqrt(1 / n) : std::sqrt(0.25 / n);
      twists_[k] = {std::cos(angle), std::sin(angle), k == 0 ? of_zero : std::sqrt(0.5 / n)};
    }
  }

  // Signal s lies at from[s * signal_stride + x * stride]; `count` of them, at most `signals`. A count that the
  // compiler knows makes the loops over signals straight code.
  template <class Count>
  void forward(const double* from, double* to, Count count, std::size_t signal_stride, std::size_t stride,
               std::span<Complex> work) const {
    for (std::size_t place = 0; place < n_; ++place) {
      const double* const source = from + entry_at(place) * stride;
      double* const own = reals(work) + place * signals;
      for (std::size_t s = 0; s < count; ++s) own[s] = source[s * signal_stride];
    }
    plan_.run(work);
    for (std::size_t k = 0; k < twists_.size(); ++k) {
      const double cosine = twists_[k].cosine, sine = twists_[k].sine,
                   factor = twists_[k].factor;  // for lambdas: Clang 14
      const std::size_t opposite = k == 0 ? 0 : n_ - k;
      for (std::size_t s = 0; s < count; s += 2) {
        const Complex z = work[k * transforms::lanes + s / 2], w = work[opposite * transforms::lanes + s / 2];
        // Twice the spectra of the two real signals.
        const double real = z.real() + w.real(), imaginary = z.imag() - w.imag();
        const double other_real = z.imag() + w.imag(), other_imaginary = w.real() - z.real();
        const auto write = [&](std::size_t signal, double a, double b) {
          double* const out = to + signal * signal_stride;
          out[k * stride] = factor * (cosine * a + sine * b);
          if (k > 0) out[opposite * stride] = factor * (sine * a - cosine * b);
        };
        write(s, real, imaginary);
        if (s + 1 < count) write(s + 1, other_real, other_imaginary);
      }
    }
  }

  template <class Count>
  void backward(const double* from, double* to, Count count, std::size_t signal_stride, std::size_t stride,
                std::span<Complex> work) const {
    for (std::size_t k = 0; k < twists_.size(); ++k) {
      const double cosine = twists_[k].cosine, sine = twists_[k].sine,
                   factor = twists_[k].factor;  // for lambdas: Clang 14
      const std::size_t opposite = k == 0 ? 0 : n_ - k;
      for (std::size_t s = 0; s < count; s += 2) {
        const auto read = [&](std::size_t signal) {
          const double* const in = from + signal * signal_stride;
          const double a = factor * in[k * stride], b = k > 0 ? -factor * in[opposite * stride] : 0;
          return Complex(cosine * a - sine * b, sine * a + cosine * b);
        };
        const Complex first = read(s), second = s + 1 < count ? read(s + 1) : Complex();
        work[k * transforms::lanes + s / 2] = {first.real() - second.imag(), first.imag() + second.real()};
        work[opposite * transforms::lanes + s / 2] = {first.real() + second.imag(), second.real() - first.imag()};
      }
    }
    plan_.run(work);
    for (std::size_t place = 0; place < n_; ++place) {
      double* const target = to + entry_at(place) * stride;
      const double* const own = reals(work) + place * signals;
      for (std::size_t s = 0; s < count; ++s) target[s * signal_stride] = own[s];
    }
  }

 private:
  std::size_t entry_at(std::size_t place) const { return 2 * place < n_ ? 2 * place : 2 * (n_ - place) - 1; }
  static double* reals(std::span<Complex> work) { return reinterpret_cast<double*>(work.data()); }

  std::size_t n_;
  transforms::LanePlan plan_;
  std::vector<Twist> twists_;
};

}  // namespace

void cosine_along(std::span<const double> in, std::span<double> out, std::size_t outer, std::size_t length,
                  std::size_t inner, bool backward) {
  const CosineAxis axis(length, backward);
  // Signals of a group lie side by side: neighbours within `inner`, or whole rows where the axis itself is contiguous.
  const std::size_t rows = inner == 1 ? 1 : outer, across = inner == 1 ? outer : inner;
  const std::size_t signal_stride = inner == 1 ? length : 1;
  const std::size_t groups = (across + signals - 1) / signals;
  for_each_block(rows * groups, groups_per_block, [&](Block block) {
    std::vector<Complex> work(length * transforms::lanes);
    for (std::size_t item = block.begin; item < block.end; ++item) {
      const std::size_t first = item % groups * signals;
      const std::size_t count = std::min(signals, across - first);
      const std::size_t base = item / groups * length * inner + first * signal_stride;
      const auto run = [&](auto known) {
        if (backward) {
          axis.backward(in.data() + base, out.data() + base, known, signal_stride, inner, work);
        } else {
          axis.forward(in.data() + base, out.data() + base, known, signal_stride, inner, work);
        }
      };
      if (count == signals) {
        run(std::integral_constant<std::size_t, signals>());
      } else {
        run(count);
      }
    }
  });
}

CosineRows::CosineRows(std::vector<std::size_t> shape, std::span<const double> coefficients,
                       std::span<const std::size_t> kept)
    : shape_(std::move(shape)) {
  const std::size_t columns = shape_.back();
  for (const std::size_t length : shape_) turns_.emplace_back(4 * length);
  const auto factor = [](std::size_t length, std::size_t frequency) {
    return std::sqrt((frequency == 0 ? 1 : 2) / static_cast<double>(length));
  };
  std::vector<std::size_t> order(kept.begin(), kept.end());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return a % columns != b % columns ? a % columns < b % columns : a < b;
  });

  frequencies_.resize(shape_.size() - 1);
  for (const std::size_t index : order) {
    const std::size_t frequency = index % columns;
    if (groups_.empty() || groups_.back().frequency != frequency) {
      groups_.push_back({frequency, amplitudes_.size(), amplitudes_.size()});
    }
    double amplitude = coefficients[index] * factor(columns, frequency);
    for_each_leading_index(shape_, index / columns, [&](std::size_t axis, std::size_t leading) {
      amplitude *= factor(shape_[axis], leading);
      frequencies_[axis].push_back(static_cast<std::uint32_t>(leading));
    });
    amplitudes_.push_back(amplitude);
    groups_.back().end = amplitudes_.size();
  }
  for (const Group& group : groups_) {
    for (std::size_t column = 0; column < columns; ++column) {
      cosines_.push_back(turns_.back().cosine(turns_.back().index(group.frequency, 2 * column + 1)));
    }
  }
}

double CosineRows::sum(const Group& group, std::size_t row) const {
  double sum = 0;
  if (shape_.size() == 2) {  // the usual case, in a loop of its own that the compiler can do several terms of at once
    const RootsOfUnity& turns = turns_[0];
    const std::uint32_t* const frequency = frequencies_[0].data();
    for (std::size_t i = group.begin; i < group.end; ++i) {
      sum += amplitudes_[i] * turns.cosine(turns.index(frequency[i], 2 * row + 1));
    }
    return sum;
  }
  for (std::size_t i = group.begin; i < group.end; ++i) {
    double value = amplitudes_[i];
    for_each_leading_index(shape_, row, [&](std::size_t axis, std::size_t index) {
      value *= turns_[axis].cosine(turns_[axis].index(frequencies_[axis][i], 2 * index + 1));
    });
    sum += value;
  }
  return sum;
}

void CosineRows::row(std::size_t row, std::span<double> out) const {
  const std::size_t columns = shape_.back();
  assert(out.size() == columns);
  std::ranges::fill(out, 0.0);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const double at_row = sum(groups_[g], row);
    const double* const cosine = cosines_.data() + g * columns;
    for (std::size_t column = 0; column < columns; ++column) out[column] += at_row * cosine[column];
  }
}

double CosineRows::entry(std::size_t row, std::size_t column) const {
  double value = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    value += sum(groups_[g], row) * cosines_[g * shape_.back() + column];
  }
  return value;
}

namespace {

// One axis after the other; each works in place on what the one before left.
void transform(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out, bool backward) {
  std::size_t inner = 1;
  std::span<const double> from = in;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    cosine_along(from, out, out.size() / inner / shape[axis], shape[axis], inner, backward);
    inner *= shape[axis];
    from = out;
  }
}

void forward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  transform(shape, in, out, false);
}

void backward(std::span<const std::size_t> shape, std::span<const double> in, std::span<double> out) {
  transform(shape, in, out, true);
}

}  // namespace

Table cosine(const Table& table) {
  check_table("the table", table.shape, table.values);
  Table result{table.shape, std::vector<double>(table.values.size())};
  forward(table.shape, table.values, result.values);
  return result;
}

Table inverse_cosine(const Table& coefficients) {
  check_table("the table of coefficients", coefficients.shape, coefficients.values);
  Table result{coefficients.shape, std::vector<double>(coefficients.values.size())};
  backward(coefficients.shape, coefficients.values, result.values);
  return result;
}

void CosineBasis::train(const Table& table, std::span<const double>) { fix_shape(table); }

std::size_t CosineBasis::size() const { return shape().empty() ? 0 : table_size(shape()); }

std::vector<double> CosineBasis::apply(std::span<const double> table) const {
  check_values(table);
  std::vector<double> coefficients(table.size());
  forward(shape(), table, coefficients);
  return coefficients;
}

std::vector<double> CosineBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> table(coefficients.size());
  backward(shape(), coefficients, table);
  return table;
}

std::vector<Term> CosineBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    terms.push_back({i, i, coefficients[i] * coefficients[i], 1, i == 0});
  }
  return terms;
}

std::unique_ptr<RowEvaluator> CosineBasis::evaluator(std::span<const double> coefficients,
                                                     std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<CosineRows>(shape(), coefficients, kept);
}

}  // namespace mercer

#include "basis/cosine_axis.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "basis/transforms.hpp"
#include "mercer/core/parallel.hpp"

namespace mercer {
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

}  // namespace mercer

#pragma once

#include <span>
#include <vector>

#include "mercer/random.hpp"

namespace mercer {

/// f(x) = sum_i cosine_i cos(2 pi k_i x) + sine_i sin(2 pi k_i x) on [0, 1): a truncated Fourier series.
struct FourierSeries {
  struct Term {
    std::size_t frequency = 0;  ///< k, each once, below 2^31
    double cosine = 0, sine = 0;
  };
  std::vector<Term> terms;

  /// O(K).
  double operator()(double x) const;
};

/// The series of lowest frequencies through the entries of a row, at the middles of its m even bins: f((j + 1/2) / m) =
/// row[j]. For a row of a table that was truncated in a Fourier basis these are the kept terms at that state. O(m log
/// m).
FourierSeries fourier_series(std::span<const double> row);

/// What a rejection sampler proposes from.
enum class Envelope {
  constant,  ///< |f| <= sum_i |c_i| with c_i = (cosine_i, sine_i): uniform proposals
  pieces,    ///< a step on each of 8 k_max pieces: max at its ends + h^2 / 8 max |f''|, where that is below `constant`
};

/// Draws from max(f, 0) / integral of max(f, 0) by rejection (Devroye 1986): what a truncated series has below zero is
/// clipped. Exact for that density; no inverse of a distribution function is needed.
///
/// With c_0 the constant term, a draw takes (integral of the envelope) / (integral of max(f, 0)) trials on average, at
/// most sum_i |c_i| / c_0; each costs O(K), with `pieces` O(log K) more.
class FourierDensity {
 public:
  /// Throws `bad_distribution` unless the constant term is positive, `not_finite`, `bad_value` for a frequency that
  /// stands twice, `out_of_range` for one beyond 2^31, with `pieces` beyond 2^16.
  explicit FourierDensity(FourierSeries series, Envelope envelope = Envelope::pieces);

  struct Draw {
    double x = 0;
    std::size_t trials = 0;  ///< proposals that it took, the accepted one included
  };
  Draw draw(Random& random) const;

  const FourierSeries& series() const { return series_; }
  /// The envelope at x.
  double envelope(double x) const;

 private:
  FourierSeries series_;
  std::vector<double> tops_;   // of the pieces
  std::vector<double> below_;  // tops summed up
};

}  // namespace mercer

#include "embed/lattice/fourier_density.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "embed/lattice/draw.hpp"
#include "mercer/basis.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr double turn = 2 * std::numbers::pi;

double constant_of(const FourierSeries& series) {
  for (const FourierSeries::Term& term : series.terms) {
    if (term.frequency == 0) return term.cosine;
  }
  return 0;
}

void check(const FourierSeries& series, double most_frequency) {
  std::vector<std::size_t> frequencies;
  for (const FourierSeries::Term& term : series.terms) {
    if (!std::isfinite(term.cosine) || !std::isfinite(term.sine)) {
      throw Error(ErrorCode::not_finite, fmt::format("the term of frequency {} is no number", term.frequency),
                  "Look at the coefficients");
    }
    require_in_range("a frequency", static_cast<double>(term.frequency), 0, most_frequency,
                     "With Envelope::constant frequencies up to 2^31 are legal");
    frequencies.push_back(term.frequency);
  }
  std::ranges::sort(frequencies);
  if (const auto twice = std::ranges::adjacent_find(frequencies); twice != frequencies.end()) {
    throw Error(ErrorCode::bad_value, fmt::format("frequency {} stands twice in the series", *twice),
                "Add up its terms");
  }
  if (!(constant_of(series) > 0)) {
    throw Error(ErrorCode::bad_distribution,
                fmt::format("the constant term of the series is {}; legal: above 0", constant_of(series)),
                "It is the mass of the density: keep it when truncating");
  }
}

// A chord through the ends of a piece differs from f by at most h^2 / 8 max |f''|.
std::vector<double> tops_of_pieces(const FourierSeries& series, double most) {
  std::size_t highest = 1;
  double bend = 0;
  for (const FourierSeries::Term& term : series.terms) {
    const double k = static_cast<double>(term.frequency);
    highest = std::max(highest, term.frequency);
    bend += turn * turn * k * k * std::hypot(term.cosine, term.sine);
  }
  const std::size_t pieces = 8 * highest;
  const double width = 1 / static_cast<double>(pieces), above = bend * width * width / 8;
  std::vector<double> tops(pieces);
  double left = series(0);
  for (std::size_t j = 0; j < pieces; ++j) {
    const double right = series(static_cast<double>(j + 1) * width);
    // The last term is for the rounding of f itself.
    tops[j] = std::clamp(std::max(left, right) + above + 1e-14 * most, 0.0, most);
    left = right;
  }
  return tops;
}

}  // namespace

double FourierSeries::operator()(double x) const {
  double sum = 0;
  for (const Term& term : terms) {
    const double angle = turn * std::fmod(static_cast<double>(term.frequency) * x, 1.0);
    sum += term.cosine * std::cos(angle) + term.sine * std::sin(angle);
  }
  return sum;
}

FourierSeries fourier_series(std::span<const double> row) {
  const std::size_t size = row.size();
  const auto spectrum = fourier({{size}, {row.begin(), row.end()}});
  FourierSeries series;
  for (std::size_t k = 0; 2 * k <= size; ++k) {
    const bool single = k == 0 || 2 * k == size;  // has no partner of the opposite frequency
    const std::complex<double> half_bin =
        std::polar(1.0, -turn * static_cast<double>(k) / static_cast<double>(2 * size));
    const std::complex<double> term = spectrum[k] * half_bin * (single ? 1.0 : 2.0) / static_cast<double>(size);
    series.terms.push_back({k, term.real(), -term.imag()});
  }
  return series;
}

FourierDensity::FourierDensity(FourierSeries series, Envelope envelope) : series_(std::move(series)) {
  check(series_, envelope == Envelope::pieces ? 0x1p16 : 0x1p31);
  double most = 0;
  for (const FourierSeries::Term& term : series_.terms) {
    most += term.frequency == 0 ? term.cosine : std::hypot(term.cosine, term.sine);
  }
  tops_ = envelope == Envelope::pieces ? tops_of_pieces(series_, most) : std::vector<double>{most};
  below_ = tops_;
  accumulate_row(below_);
}

double FourierDensity::envelope(double x) const {
  return tops_[std::min(static_cast<std::size_t>(x * static_cast<double>(tops_.size())), tops_.size() - 1)];
}

FourierDensity::Draw FourierDensity::draw(Random& random) const {
  const double width = 1 / static_cast<double>(tops_.size());
  for (std::size_t trials = 1;; ++trials) {
    const std::size_t piece = tops_.size() == 1 ? 0 : first_above(below_, random.uniform() * below_.back());
    const double x = std::min((static_cast<double>(piece) + random.uniform()) * width, 1 - 0x1p-53);
    if (random.uniform() * tops_[piece] < series_(x)) return {x, trials};
  }
}

}  // namespace mercer

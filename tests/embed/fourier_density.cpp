#include "embed/lattice/fourier_density.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/statistics.hpp"

namespace mercer {
namespace {

constexpr double turn = 2 * std::numbers::pi;

// The exact integral of a series from 0 to x.
double integral(const FourierSeries& series, double x) {
  double sum = 0;
  for (const auto& [k, cosine, sine] : series.terms) {
    const double w = turn * double(k);
    sum += k == 0 ? cosine * x : (cosine * std::sin(w * x) + sine * (1 - std::cos(w * x))) / w;
  }
  return sum;
}

// The distribution function of max(f, 0) / its integral: exact between zeros, which are found by bisection.
class ClippedCdf {
 public:
  explicit ClippedCdf(const FourierSeries& series) : series_(series) {
    constexpr std::size_t steps = 20'000;
    for (std::size_t i = 0; i < steps; ++i) {
      double low = double(i) / steps, high = double(i + 1) / steps;
      const bool rises = series(low) < 0;
      if ((series(low) < 0) == (series(high) < 0)) continue;
      for (int round = 0; round < 60; ++round)
        ((series((low + high) / 2) < 0) == rises ? low : high) = (low + high) / 2;
      zeros_.push_back(low);
    }
    total_ = below(1);
  }
  double operator()(double x) const { return below(x) / total_; }
  double total() const { return total_; }

 private:
  double below(double x) const {
    double sum = 0, from = 0;
    for (std::size_t i = 0; i <= zeros_.size(); ++i) {
      const double to = std::min(x, i < zeros_.size() ? zeros_[i] : 1.0);
      if (to > from && series_((from + to) / 2) > 0) sum += integral(series_, to) - integral(series_, from);
      from = std::max(from, to);
    }
    return sum;
  }
  FourierSeries series_;
  std::vector<double> zeros_;
  double total_ = 0;
};

struct DensityCase {
  const char* name;
  FourierSeries series;
};

// Positive, negative in places, and the row of a table that was truncated.
std::vector<DensityCase> density_cases() {
  std::vector<DensityCase> all{{"even", {{{0, 1, 0}}}},
                               {"positive", {{{0, 1, 0}, {1, 0.5, 0.1}, {3, -0.2, 0.15}}}},
                               {"negative in places", {{{0, 1, 0}, {1, 1.2, -0.4}, {2, 0.3, 0.9}, {7, 0.2, 0}}}}};
  FourierSeries step{{{0, 0.5, 0}}};  // a step from -1/4 to 1/4, cut off: it overshoots and goes below zero
  for (std::size_t k = 1; k < 40; k += 2)
    step.terms.push_back({k, std::sin(turn * double(k) / 4) / (double(k) * 1.5708), 0});
  all.push_back({"step", step});
  return all;
}

TEST(FourierDensity, draws_from_what_is_not_negative) {
  constexpr std::size_t draws = 20'000;
  for (const auto& [name, series] : density_cases()) {
    const ClippedCdf cdf(series);
    for (const Envelope envelope : {Envelope::constant, Envelope::pieces}) {
      const FourierDensity density(series, envelope);
      std::vector<double> shares, trials;
      for (std::size_t i = 0; i < draws; ++i) {
        Random random({6, Stage::action, i, 0});
        const FourierDensity::Draw drawn = density.draw(random);
        ASSERT_GE(drawn.x, 0);
        ASSERT_LT(drawn.x, 1);
        shares.push_back(cdf(drawn.x));
        trials.push_back(double(drawn.trials));
      }
      EXPECT_LT(ks_distance_to_uniform(shares, 0, 1), ks_limit(draws)) << name;

      double area = 0;
      constexpr std::size_t points = 100'000;
      for (std::size_t i = 0; i < points; ++i) {
        const double x = (double(i) + 0.5) / points;
        EXPECT_GE(density.envelope(x), series(x)) << name << " at " << x;
        area += density.envelope(x) / points;
      }
      const SampleMean found(trials);
      EXPECT_NEAR(found.mean, area / cdf.total(), 5 * found.error + 1e-3) << name;
      std::cout << name << (envelope == Envelope::pieces ? ", pieces: " : ", constant: ") << found.mean
                << " trials a draw\n";
    }
  }
}

TEST(FourierDensity, pieces_take_fewer_trials) {
  for (const auto& [name, series] : density_cases()) {
    const FourierDensity constant(series, Envelope::constant), pieces(series, Envelope::pieces);
    for (double x = 0; x < 1; x += 1e-3) EXPECT_LE(pieces.envelope(x), constant.envelope(x)) << name;
  }
}

TEST(FourierDensity, a_row_is_met_at_the_middles_of_its_bins) {
  Random random({8, Stage::task, 0, 0});
  for (const std::size_t size : {1U, 2U, 7U, 15U, 16U}) {
    std::vector<double> row(size);
    for (double& value : row) value = random.uniform();
    const FourierSeries series = fourier_series(row);
    for (std::size_t j = 0; j < size; ++j) EXPECT_NEAR(series((double(j) + 0.5) / double(size)), row[j], 1e-12);
  }
}

// A row of a truncated table is the series of its kept terms: as many frequencies as were kept, and no more.
TEST(FourierDensity, a_truncated_row_has_only_kept_frequencies) {
  Table table{{20, 16}, std::vector<double>(320)};
  for (std::size_t i = 0; i < 320; ++i) {
    table.values[i] =
        2 + std::cos(turn * (double(i / 16) / 20 + 2 * double(i % 16) / 16)) + 0.3 * std::sin(double(i * i));
  }
  const auto basis = make_basis("fourier");
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  const auto rows = basis->evaluator(coefficients, Truncation(basis->terms(coefficients)).kept(3));
  std::vector<double> row(16);
  rows->row(5, row);
  const FourierSeries series = fourier_series(row);
  for (const auto& [k, cosine, sine] : series.terms) {
    EXPECT_EQ(std::hypot(cosine, sine) > 1e-9, k == 0 || k == 2) << k;
  }
  Random random({9, Stage::action, 0, 0});
  const double x = FourierDensity(series).draw(random).x;
  EXPECT_GT(series(x), 0);
}

TEST(FourierDensity, refuses_what_is_no_density) {
  const auto make = [](FourierSeries series, Envelope envelope = Envelope::pieces) {
    FourierDensity{series, envelope};
  };
  expect_error(ErrorCode::bad_distribution, "the constant term of the series is 0", [&] { make({{{1, 1, 0}}}); });
  expect_error(ErrorCode::bad_distribution, "is -1", [&] { make({{{0, -1, 0}}}); });
  expect_error(ErrorCode::not_finite, "frequency 2", [&] { make({{{0, 1, 0}, {2, std::nan(""), 0}}}); });
  expect_error(ErrorCode::bad_value, "frequency 2 stands twice", [&] { make({{{0, 1, 0}, {2, 1, 0}, {2, 1, 0}}}); });
  expect_error(ErrorCode::out_of_range, "a frequency", [&] { make({{{0, 1, 0}, {70'000, 1, 0}}}); });
  make({{{0, 1, 0}, {70'000, 1, 0}}}, Envelope::constant);
}

}  // namespace
}  // namespace mercer

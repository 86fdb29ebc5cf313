#include <gtest/gtest.h>

#include "mercer/basis.hpp"
#include "support/errors.hpp"
#include "support/golden.hpp"
#include "support/tables.hpp"

namespace mercer {
namespace {

std::vector<std::string> all_wavelets() {
  std::vector<std::string> names;
  for (int n = 1; n <= 10; ++n) names.push_back("db" + std::to_string(n));
  return names;
}

TEST(WaveletFilter, equals_pywavelets) {
  const nlohmann::json document = read_golden("kernels/wavelet_filters.json");
  for (const auto& [name, golden] : document.items()) {
    const WaveletFilter filter = wavelet_filter(name);
    EXPECT_LT(largest_difference(filter.dec_lo, golden.at("dec_lo").get<std::vector<double>>()), 1e-15) << name;
    EXPECT_LT(largest_difference(filter.dec_hi, golden.at("dec_hi").get<std::vector<double>>()), 1e-15) << name;
    EXPECT_LT(largest_difference(filter.rec_lo, golden.at("rec_lo").get<std::vector<double>>()), 1e-15) << name;
    EXPECT_LT(largest_difference(filter.rec_hi, golden.at("rec_hi").get<std::vector<double>>()), 1e-15) << name;
  }
}

TEST(WaveletFilter, even_shifts_are_orthonormal) {
  for (const std::string& name : all_wavelets()) {
    const WaveletFilter filter = wavelet_filter(name);
    const std::size_t taps = filter.rec_lo.size();
    for (std::size_t shift = 0; shift < taps; shift += 2) {
      double low = 0, high = 0, mixed = 0;
      for (std::size_t i = 0; i + shift < taps; ++i) {
        low += filter.rec_lo[i] * filter.rec_lo[i + shift];
        high += filter.rec_hi[i] * filter.rec_hi[i + shift];
        mixed += filter.rec_lo[i] * filter.rec_hi[i + shift];
      }
      EXPECT_NEAR(low, shift == 0 ? 1 : 0, 1e-15) << name << " shift " << shift;
      EXPECT_NEAR(high, shift == 0 ? 1 : 0, 1e-15) << name << " shift " << shift;
      EXPECT_NEAR(mixed, 0, 1e-15) << name << " shift " << shift;
    }
  }
}

// dbN: sum_i i^p high[i] = 0 for p < N. Powers of places around the middle, scaled to at most one, keep rounding small.
TEST(WaveletFilter, dbn_has_n_vanishing_moments_and_2n_taps) {
  for (std::size_t n = 1; n <= 10; ++n) {
    const WaveletFilter filter = wavelet_filter("db" + std::to_string(n));
    EXPECT_EQ(filter.rec_hi.size(), 2 * n);
    for (std::size_t power = 0; power <= n; ++power) {
      double moment = 0;
      for (std::size_t i = 0; i < 2 * n; ++i) {
        const double place = (static_cast<double>(i) - static_cast<double>(n) + 0.5) / static_cast<double>(n);
        moment += std::pow(place, static_cast<double>(power)) * filter.rec_hi[i];
      }
      if (power < n) {
        EXPECT_NEAR(moment, 0, 1e-15) << "db" << n << " moment " << power;
      } else {
        EXPECT_GT(std::abs(moment), 1e-12) << "db" << n << " moment " << power;
      }
    }
  }
}

// Least phase: most of the energy comes early, more than in any other factorisation.
TEST(WaveletFilter, energy_comes_early) {
  for (const std::string& name : all_wavelets()) {
    const std::vector<double> low = wavelet_filter(name).rec_lo;
    const std::size_t half = low.size() / 2;
    EXPECT_GE(squares(std::span(low).first(half)), squares(std::span(low).last(half)) - 1e-15) << name;
  }
}

TEST(WaveletFilter, haar_is_db1_and_unknown_names_are_refused) {
  EXPECT_EQ(wavelet_filter("haar").dec_lo, wavelet_filter("db1").dec_lo);
  expect_error(ErrorCode::unknown_name, "Did you mean 'db1'?", [] { wavelet_filter("db11"); });
  expect_error(ErrorCode::unknown_name, "no wavelet is called 'sym4'", [] { wavelet_filter("sym4"); });
}

TEST(WaveletFilter, default_level_is_that_of_pywavelets) {
  const auto level = [](std::vector<std::size_t> shape, const char* name) {
    return wavelet_default_level(shape, wavelet_filter(name));
  };
  EXPECT_EQ(level({10}, "db4"), 0U);
  EXPECT_EQ(level({15}, "db4"), 1U);
  EXPECT_EQ(level({701, 15}, "db4"), 1U);
  EXPECT_EQ(level({64, 64}, "db4"), 3U);
  EXPECT_EQ(level({64}, "haar"), 6U);
  EXPECT_EQ(level({1}, "haar"), 0U);
}

}  // namespace
}  // namespace mercer

#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace mercer {

/// Mean of a sample and the standard error of that mean.
struct SampleMean {
  explicit SampleMean(std::span<const double> sample) {
    const auto n = static_cast<double>(sample.size());
    for (const double x : sample) mean += x / n;
    double squares = 0;
    for (const double x : sample) squares += (x - mean) * (x - mean);
    error = std::sqrt(squares / (n - 1) / n);
  }
  double mean = 0;
  double error = 0;
};

/// Kolmogorov and Smirnov: the largest gap between the distribution functions of two samples.
inline double ks_distance(std::vector<double> a, std::vector<double> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  const auto below = [](const std::vector<double>& sample, double x) {
    return static_cast<double>(std::ranges::upper_bound(sample, x) - sample.begin()) /
           static_cast<double>(sample.size());
  };
  double gap = 0;
  for (const double x : a) gap = std::max(gap, std::abs(below(a, x) - below(b, x)));
  for (const double x : b) gap = std::max(gap, std::abs(below(a, x) - below(b, x)));
  return gap;
}

/// The same between a sample and the uniform distribution on [low, high].
inline double ks_distance_to_uniform(std::vector<double> sample, double low, double high) {
  std::ranges::sort(sample);
  const auto n = static_cast<double>(sample.size());
  double gap = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double expected = std::clamp((sample[i] - low) / (high - low), 0.0, 1.0);
    const auto rank = static_cast<double>(i);
    gap = std::max({gap, std::abs(expected - rank / n), std::abs(expected - (rank + 1) / n)});
  }
  return gap;
}

/// The distance that samples of one distribution exceed with probability 1e-6: sqrt(-ln(1e-6 / 2) / 2) = 2.69,
/// divided by the square root of n m / (n + m), or of n when the other side is a known distribution (m infinite).
inline double ks_limit(double n, double m = HUGE_VAL) {
  return std::sqrt(-std::log(1e-6 / 2) / 2) * std::sqrt(std::isinf(m) ? 1 / n : 1 / n + 1 / m);
}

/// Pearson's statistic of counts against probabilities, and how many of these were positive less one. Infinite where
/// something happened that cannot.
struct ChiSquare {
  ChiSquare(std::span<const double> counts, std::span<const double> probabilities) {
    double total = 0;
    for (const double count : counts) total += count;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const double expected = total * probabilities[i];
      if (expected > 0) {
        value += (counts[i] - expected) * (counts[i] - expected) / expected;
        freedom += 1;
      } else if (counts[i] > 0) {
        value = HUGE_VAL;
      }
    }
  }
  /// What is exceeded with probability 1e-6, by the approximation of Wilson and Hilferty.
  double limit() const {
    constexpr double z = 4.7534;
    return freedom * std::pow(1 - 2 / (9 * freedom) + z * std::sqrt(2 / (9 * freedom)), 3);
  }
  double value = 0;
  double freedom = -1;
};

}  // namespace mercer

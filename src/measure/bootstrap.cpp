#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "measure/check_sample.hpp"
#include "measure/special.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"

namespace mercer {
namespace {

// From the sums of numbers and squares about a point near the mean, where nothing cancels.
double statistic_of(Statistic statistic, double sum, double squares, double count) {
  const double mean = sum / count;
  if (statistic == Statistic::mean) return mean;
  return std::sqrt(std::max(squares - count * mean * mean, 0.0) / (count - 1));
}

std::vector<double> resampled(std::span<const double> x, Statistic statistic, const BootstrapOptions& options) {
  std::vector<double> values(options.resamples);
  for_each_block(options.resamples, 16, [&](Block block) {
    for (std::size_t r = block.begin; r < block.end; ++r) {
      Random random({options.seed, Stage::resample, r, 0});
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double value =
            x[std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(x.size())), x.size() - 1)];
        sum += value;
        squares += value * value;
      }
      values[r] = statistic_of(statistic, sum, squares, static_cast<double>(x.size()));
    }
  });
  std::ranges::sort(values);
  return values;
}

// Skewness of the statistic by leaving one out: a = sum d^3 / (6 (sum d^2)^{3/2}).
double acceleration(std::span<const double> x, Statistic statistic, double sum, double squares) {
  const double count = static_cast<double>(x.size());
  std::vector<double> without(x.size());
  double mean = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean += without[i] = statistic_of(statistic, sum - x[i], squares - x[i] * x[i], count - 1);
  }
  mean /= count;
  double second = 0, third = 0;
  for (const double value : without) {
    second += (mean - value) * (mean - value);
    third += (mean - value) * (mean - value) * (mean - value);
  }
  return second > 0 ? third / (6 * std::pow(second, 1.5)) : 0;
}

}  // namespace

Range bootstrap_interval(std::span<const double> given, Statistic statistic, double delta, Sides sides,
                         const BootstrapOptions& options) {
  check_sample(given, 3, delta);
  require_in_range("resamples", static_cast<double>(options.resamples), 100, 1e6, "2000 are usual");
  const double count = static_cast<double>(given.size());
  double centre = 0;
  for (const double value : given) centre += value / count;
  std::vector<double> x(given.begin(), given.end());
  double sum = 0, squares = 0;
  for (double& value : x) {
    value -= centre;
    sum += value;
    squares += value * value;
  }
  const std::vector<double> values = resampled(x, statistic, options);
  const double own = statistic_of(statistic, sum, squares, count), most = static_cast<double>(values.size());
  double bias = 0, skew = 0;
  if (options.corrected) {
    // Ties count half, so that numbers on few values are not taken for a bias.
    const double below = static_cast<double>(std::ranges::lower_bound(values, own) - values.begin());
    const double equal = static_cast<double>(std::ranges::upper_bound(values, own) - values.begin()) - below;
    bias = normal_quantile(std::clamp((below + equal / 2) / most, 0.5 / most, 1 - 0.5 / most));
    skew = acceleration(x, statistic, sum, squares);
  }
  const double shift = statistic == Statistic::mean ? centre : 0;
  const auto quantile = [&](double p) {
    const double z = bias + normal_quantile(p), bent = normal_probability(bias + z / (1 - skew * z));
    const double place = std::clamp(std::floor(bent * most), 0.0, most - 1);
    return shift + values[static_cast<std::size_t>(place)];
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double share = sides == Sides::two ? delta / 2 : delta;
  return {sides == Sides::upper ? -infinity : quantile(share), sides == Sides::lower ? infinity : quantile(1 - share)};
}

}  // namespace mercer

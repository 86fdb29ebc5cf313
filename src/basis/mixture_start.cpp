#include "basis/mixture_start.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mercer/basis/table.hpp"
#include "mercer/core/error.hpp"
#include "mercer/core/random.hpp"

namespace mercer {

Mixture spread_start(MatrixView<const double> points, std::span<const double> weights, std::size_t k,
                     const MixtureOptions& options) {
  const std::size_t n = points.rows(), d = points.cols();
  Mixture mixture{d, options.covariance, std::vector<double>(k, 1 / static_cast<double>(k)), {}, {}};

  std::vector<double> chance(weights.begin(), weights.end());
  std::vector<double> distance(n, HUGE_VAL);
  Random random({options.seed, Stage::mixture, 0, 0});
  for (std::size_t component = 0; component < k; ++component) {
    const std::span<const double> chosen = points.row(random.categorical(chance));
    mixture.means.insert(mixture.means.end(), chosen.begin(), chosen.end());
    double left = 0;
    for (std::size_t i = 0; i < n; ++i) {
      double squares = 0;
      for (std::size_t j = 0; j < d; ++j) squares += (points(i, j) - chosen[j]) * (points(i, j) - chosen[j]);
      distance[i] = std::min(distance[i], squares);
      chance[i] = weights[i] * distance[i];
      left += chance[i];
    }
    // Fewer different points than components: some means are then the same point.
    if (!(left > 0)) chance.assign(weights.begin(), weights.end());
  }

  double total = 0;
  std::vector<double> mean(d), variance(d);
  for (std::size_t i = 0; i < n; ++i) total += weights[i];
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) mean[j] += weights[i] / total * points(i, j);
    for (std::size_t i = 0; i < n; ++i) {
      variance[j] += weights[i] / total * (points(i, j) - mean[j]) * (points(i, j) - mean[j]);
    }
    variance[j] += options.floor;
  }
  for (std::size_t component = 0; component < k; ++component) {
    if (options.covariance == Covariance::diagonal) {
      mixture.variances.insert(mixture.variances.end(), variance.begin(), variance.end());
      continue;
    }
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) mixture.variances.push_back(i == j ? variance[i] : 0);
    }
  }
  return mixture;
}

Mixture fixed_mixture(std::size_t k, std::span<const double> low, std::span<const double> high, std::uint64_t seed) {
  constexpr std::array variances{0.1, 0.5, 1.0, 2.0};
  constexpr std::size_t most = 1'000'000;
  require_in_range("number of components", static_cast<double>(k), 1, most, "A few dozen are usual");
  check_count("the upper corner of the box", high.size(), low.size());
  check_finite("the lower corner of the box", low);
  check_finite("the upper corner of the box", high);
  const std::size_t d = low.size();
  if (d == 0) {
    throw Error(ErrorCode::shape_mismatch, "a box without dimensions holds no means", "Give at least one dimension");
  }
  Mixture mixture{d, Covariance::diagonal, std::vector<double>(k, 1 / static_cast<double>(k)), {}, {}};
  for (std::size_t component = 0; component < k; ++component) {
    Random random({seed, Stage::mixture, component, 1});
    for (std::size_t j = 0; j < d; ++j) {
      if (!(low[j] < high[j])) {
        throw Error(ErrorCode::out_of_range, fmt::format("dimension {} of the box is [{}, {}]", j, low[j], high[j]),
                    "The lower corner must lie below the upper one");
      }
      const double place = d == 1 ? (static_cast<double>(component) + 0.5) / static_cast<double>(k) : random.uniform();
      mixture.means.push_back(low[j] + (high[j] - low[j]) * place);
      mixture.variances.push_back(variances[component % variances.size()]);
    }
  }
  return mixture;
}

}  // namespace mercer

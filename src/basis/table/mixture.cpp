#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "basis/table/mixture_density.hpp"
#include "mercer/basis.hpp"
#include "mercer/error.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"

namespace mercer {

/// k-means++: means are points far from each other, the first drawn by weight, each next by weight times squared
/// distance to the nearest so far. Variances are those of all points together.
Mixture spread_start(MatrixView<const double> points, std::span<const double> weights, std::size_t k,
                     const MixtureOptions& options);

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

namespace {

constexpr std::size_t points_per_block = 512;

// What the points say about every component. Moments are taken about the mean of the round before: near it, nothing is
// lost to cancellation.
struct Statistics {
  Statistics(std::size_t k, std::size_t d, Covariance covariance)
      : mass(k), first(k * d), second(covariance == Covariance::diagonal ? k * d : k * d * d) {}

  void add(const Statistics& other) {
    log_likelihood += other.log_likelihood;
    total += other.total;
    for (std::size_t i = 0; i < mass.size(); ++i) mass[i] += other.mass[i];
    for (std::size_t i = 0; i < first.size(); ++i) first[i] += other.first[i];
    for (std::size_t i = 0; i < second.size(); ++i) second[i] += other.second[i];
  }

  double log_likelihood = 0, total = 0;
  std::vector<double> mass, first, second;
};

void add_point(Statistics& statistics, const Mixture& mixture, std::span<const double> x, double weight,
               std::span<const double> log_terms, double log_sum, std::span<double> centred) {
  const std::size_t d = mixture.dimensions;
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    const double share = weight * std::exp(log_terms[k] - log_sum);
    if (share == 0) continue;
    statistics.mass[k] += share;
    for (std::size_t i = 0; i < d; ++i) {
      centred[i] = x[i] - mixture.means[k * d + i];
      statistics.first[k * d + i] += share * centred[i];
    }
    if (mixture.covariance == Covariance::diagonal) {
      for (std::size_t i = 0; i < d; ++i) statistics.second[k * d + i] += share * centred[i] * centred[i];
      continue;
    }
    double* const second = statistics.second.data() + k * d * d;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) second[i * d + j] += share * centred[i] * centred[j];
    }
  }
}

// The expectation step. Blocks are summed in their order, so that threads do not matter.
Statistics expect(const Mixture& mixture, MatrixView<const double> points, std::span<const double> weights) {
  const Components components(mixture);
  const std::size_t k = mixture.size(), d = mixture.dimensions;
  const std::size_t blocks = (points.rows() + points_per_block - 1) / points_per_block;
  std::vector<Statistics> parts(blocks, Statistics(k, d, mixture.covariance));
  for_each_block(points.rows(), points_per_block, [&](Block block) {
    std::vector<double> terms(k), centred(d);
    Statistics& own = parts[block.index];
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (weights[i] == 0) continue;
      const std::span<const double> x = points.row(i);
      components.log_terms(x, centred, terms);
      const double log_sum = log_sum_exp(terms);
      own.log_likelihood += weights[i] * log_sum;
      own.total += weights[i];
      if (log_sum > -HUGE_VAL) add_point(own, mixture, x, weights[i], terms, log_sum, centred);
    }
  });
  Statistics sum(k, d, mixture.covariance);
  for (const Statistics& part : parts) sum.add(part);
  return sum;
}

void maximise(Mixture& mixture, const Statistics& statistics, const MixtureOptions& options) {
  const std::size_t d = mixture.dimensions;
  double total = 0;
  for (const double mass : statistics.mass) total += mass;
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    const double mass = statistics.mass[k];
    mixture.weights[k] = mass / total;
    // A component that no point wants any more stays where it was.
    if (options.weights_only || !(mass > 1e-300)) continue;
    const double* const first = statistics.first.data() + k * d;
    const bool diagonal = mixture.covariance == Covariance::diagonal;
    for (std::size_t i = 0; i < d; ++i) {
      const double moved = first[i] / mass;
      for (std::size_t j = diagonal ? i : 0; j < (diagonal ? i + 1 : d); ++j) {
        const std::size_t place = diagonal ? k * d + i : (k * d + i) * d + j;
        const double spread = statistics.second[place] / mass - moved * (first[j] / mass);
        mixture.variances[place] = i == j ? std::max(spread, 0.0) + options.floor : spread;
      }
    }
    for (std::size_t i = 0; i < d; ++i) mixture.means[k * d + i] += first[i] / mass;
  }
}

void check_points(MatrixView<const double> points, std::span<const double> weights) {
  if (points.rows() == 0 || points.cols() == 0) {
    throw Error(ErrorCode::shape_mismatch,
                fmt::format("{} points of {} dimensions hold no mixture", points.rows(), points.cols()),
                "Give at least one point");
  }
  for (std::size_t i = 0; i < points.rows(); ++i) check_finite("a point", points.row(i));
  check_count("the list of weights", weights.size(), points.rows());
  check_finite("the list of weights", weights);
  if (*std::ranges::min_element(weights) < 0 || *std::ranges::max_element(weights) <= 0) {
    throw Error(ErrorCode::out_of_range, "weights of points are negative or all zero; legal: 0 or more, some above",
                "Give how much each point counts");
  }
}

}  // namespace

MixtureFit fit_mixture(MatrixView<const double> points, std::size_t k, std::span<const double> weights,
                       const std::optional<Mixture>& start, const MixtureOptions& options) {
  const std::vector<double> equal(weights.empty() ? points.rows() : 0, 1.0);
  if (weights.empty()) weights = equal;
  check_points(points, weights);
  constexpr double most = 1e6;
  require_in_range("number of components", static_cast<double>(k), 1, most, "A few dozen are usual");
  require_in_range("iterations", static_cast<double>(options.iterations), 0, most, "A hundred are usual");
  require_in_range("floor of the variances", options.floor, 1e-12, most, "1e-6 is usual");
  require_in_range("tolerance", options.tolerance, 0, most, "Use 0 for all iterations");

  MixtureFit fit{start ? *start : spread_start(points, weights, k, options), {}};
  check_mixture(fit.mixture);
  check_count("the mixture to start from", fit.mixture.size(), k);
  check_count("a mean to start from", fit.mixture.dimensions, points.cols());
  for (std::size_t round = 0;; ++round) {
    const Statistics statistics = expect(fit.mixture, points, weights);
    if (!(statistics.log_likelihood > -HUGE_VAL)) {
      throw Error(ErrorCode::not_finite, "a point has no likelihood under any component",
                  "Start from components nearer to the points, or with larger variances");
    }
    fit.log_likelihoods.push_back(statistics.log_likelihood / statistics.total);
    const std::size_t count = fit.log_likelihoods.size();
    const bool gains_no_more = count > 1 && options.tolerance > 0 &&
                               fit.log_likelihoods[count - 1] - fit.log_likelihoods[count - 2] < options.tolerance;
    if (round == options.iterations || gains_no_more) return fit;
    maximise(fit.mixture, statistics, options);
  }
}

}  // namespace mercer

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "lattices.hpp"
#include "mercer/basis.hpp"
#include "mercer/random.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t angles = 4096;  // where functions of an angle are known

// A density on the circle, as values at even angles with mean one: five bumps of random place and height on a floor. A
// bump is flat (a step), a hat (continuous, m = 1), the same once smoother (m = 2), or analytic.
std::vector<double> bumps(const std::string& kind, std::uint64_t seed) {
  std::vector<double> values(angles, 0.2);
  for (std::uint64_t bump = 0; bump < 5; ++bump) {
    Random random({seed, Stage::simulate, bump, 0});
    const double place = 2 * std::numbers::pi * random.uniform(), height = 0.5 + random.uniform(),
                 width = 0.5 + random.uniform();
    for (std::size_t i = 0; i < angles; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / angles - place;
      const double x = std::abs(std::remainder(angle, 2 * std::numbers::pi)) / width;
      if (kind == "step") {
        values[i] += x < 1 ? height : 0;
      } else if (kind == "hat") {
        values[i] += height * std::max(0.0, 1 - x);
      } else if (kind == "smooth hat") {  // the quadratic spline
        values[i] += height * (x < 1.0 / 3 ? 0.75 - 2.25 * x * x : x < 1 ? 1.125 * (1 - x) * (1 - x) : 0);
      } else {
        values[i] += height * std::exp((std::cos(angle) - 1) / (width * width));
      }
    }
  }
  const double mean = mean_of(values);
  for (double& value : values) value /= mean;
  return values;
}

// Partial sums of the first K frequencies, as the printed rates have it: what is left in three norms.
void add_partial_sums(Frame& frame, const Bench& bench, const std::string& kind) {
  const std::vector<double> truth = bumps(kind, 1000 * bench.seed);
  const std::vector<std::complex<double>> spectrum = fourier({{angles}, truth});
  for (std::size_t k = 2; k <= 256; k *= 2) {
    std::vector<std::complex<double>> kept(angles);
    for (std::size_t f = 0; f < angles; ++f) {
      if (std::min(f, angles - f) <= k) kept[f] = spectrum[f];
    }
    const std::vector<double> close = inverse_fourier(kept, {angles}).values;
    double l1 = 0, square = 0, sup = 0;
    for (std::size_t i = 0; i < angles; ++i) {
      const double away = std::abs(close[i] - truth[i]);
      l1 += away / angles, square += away * away / angles, sup = std::max(sup, away);
    }
    for (const auto& [norm, error] : {std::pair{"l1", l1}, {"sup", sup}, {"l2 squared", square}}) {
      frame.add({double(bench.seed), kind, norm, double(k), error});
    }
  }
}

// What is left of a table, in L1 a row, of its K largest Fourier coefficients.
void add_table(Frame& frame, const Bench& bench, const std::string& domain, const Table& table,
               const std::vector<std::size_t>& ks) {
  const auto basis = make_basis("fourier");
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(table.values);
  for (const std::size_t k : ks) {
    const std::vector<double> close = basis->reverse(keep_only(coefficients, basis->choose(coefficients, k)));
    double error = 0;
    for (std::size_t i = 0; i < close.size(); ++i) error += std::abs(close[i] - table.values[i]);
    frame.add({double(bench.seed), domain, "l1", double(k), error / static_cast<double>(table.rows())});
  }
}

std::vector<double> boltzmann(std::size_t bins, std::uint64_t seed) {
  std::vector<double> pi;
  const std::vector<double> reward = bumps("analytic", seed);
  for (std::size_t b = 0; b < bins; ++b) pi.push_back(std::exp(reward[b * angles / bins]));
  project_row(pi);
  return pi;
}

// KL(pi || mixture) of EM, on the exact table over K, and on n drawn actions over n.
void add_mixtures(Frame& frame, const Bench& bench) {
  constexpr std::size_t bins = 128;
  const std::vector<double> pi = boltzmann(bins, 1000 * bench.seed);
  std::vector<double> places(bins);
  for (std::size_t b = 0; b < bins; ++b) places[b] = 2 * std::numbers::pi * (static_cast<double>(b) + 0.5) / bins;
  const auto divergence = [&](const Mixture& mixture) {
    std::vector<double> row = log_density(mixture, {places.data(), bins, 1});
    for (double& value : row) value = std::exp(value);
    project_row(row);
    double sum = 0;
    for (std::size_t b = 0; b < bins; ++b) sum += pi[b] * std::log(pi[b] / std::max(row[b], 1e-300));
    return sum;
  };
  MixtureOptions options;
  options.seed = bench.seed;
  for (std::size_t k = 1; k <= 32; k *= 2) {
    frame.add({double(bench.seed), "mixture", "kl over k", double(k),
               divergence(fit_mixture({places.data(), bins, 1}, k, pi, {}, options).mixture)});
  }
  for (std::uint32_t n = 100; n <= 25'600; n *= 4) {
    std::vector<double> drawn;
    for (std::size_t i = 0; i < n; ++i) {
      Random random({bench.seed, Stage::baseline, i, n});
      drawn.push_back(places[random.categorical(pi)] + (random.uniform() - 0.5) * 2 * std::numbers::pi / bins);
    }
    frame.add({double(bench.seed), "mixture", "kl over n", double(n),
               divergence(fit_mixture({drawn.data(), n, 1}, 8, {}, {}, options).mixture)});
  }
}

// How far the mean of K drawn actions is from the policy's mean, root mean square over 200 tries.
void add_sampling(Frame& frame, const Bench& bench) {
  constexpr std::size_t bins = 128, tries = 200;
  const std::vector<double> pi = boltzmann(bins, 1000 * bench.seed);
  double truth = 0;
  for (std::size_t b = 0; b < bins; ++b) truth += pi[b] * static_cast<double>(b) / bins;
  for (std::uint32_t k = 1; k <= 1024; k *= 4) {
    double square = 0;
    for (std::size_t round = 0; round < tries; ++round) {
      Random random({bench.seed, Stage::simulate, round, k});
      double mean = 0;
      for (std::size_t i = 0; i < k; ++i) {
        mean += static_cast<double>(random.categorical(pi)) / bins / static_cast<double>(k);
      }
      square += (mean - truth) * (mean - truth) / tries;
    }
    frame.add({double(bench.seed), "sampling", "rms", double(k), std::sqrt(square)});
  }
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& frame = tables["rates"] = {{"seed", "domain", "norm", "k", "error"}};
  for (const char* kind : {"step", "hat", "smooth hat", "analytic"}) add_partial_sums(frame, bench, kind);
  add_table(frame, bench, "turntable", {{1, 128}, boltzmann(128, 1000 * bench.seed)}, {2, 4, 8, 16, 32});
  std::vector<double> chain;
  for (std::size_t s = 0; s < 64; ++s) {
    Random random({bench.seed, Stage::simulate, s, 3});
    const double right =
        0.55 + 0.15 * std::sin(2 * std::numbers::pi * static_cast<double>(s) / 64) + 0.3 * (random.uniform() - 0.5);
    chain.insert(chain.end(), {1 - right, right});
  }
  add_table(frame, bench, "chain", {{64, 2}, chain}, {2, 4, 8, 16, 32});
  const Head head{Teacher::pendulum_v0, 5000, false};
  const TrainedPolicy trained = load_policy(bench, head);
  const Lattice lattice = make_lattice(*trained.policy, visits(bench, head), published_lattice(head.teacher));
  const Table pendulum{{lattice.table.rows, lattice.table.cols}, lattice.table.pi};
  add_table(frame, bench, "pendulum", pendulum, {16, 64, 256, 1024, 4096});
  add_mixtures(frame, bench);
  add_sampling(frame, bench);
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("rates"));
  const auto slope = [&](const char* domain, const char* norm) {
    const Curves curves = rate_curves(all, domain, norm);
    const Rule rule = steeper("", "", curves, 0, Seeds(curves.x.size(), 1e-12));
    return fmt::format("{:.2f} [{:.2f}, {:.2f}]", rule.effect, rule.low, rule.high);
  };
  return {
      fmt::format(
          "Slopes of the logarithms, mean over seeds and 95% interval. Partial Fourier sums in L1 (printed -1): steps "
          "{}, hats {}, smooth hats {}, analytic {}. In the supremum: hats {} (printed -3), smooth hats {} (printed "
          "-5). Largest coefficients of tables in L1: turntable {}, chain {}, pendulum {}. Mixtures in KL (printed "
          "-1): over K {}, over n {}. Sampling (printed 1/2, meant -1/2): {}.",
          slope("step", "l1"), slope("hat", "l1"), slope("smooth hat", "l1"), slope("analytic", "l1"),
          slope("hat", "sup"), slope("smooth hat", "sup"), slope("turntable", "l1"), slope("chain", "l1"),
          slope("pendulum", "l1"), slope("mixture", "kl over k"), slope("mixture", "kl over n"),
          slope("sampling", "rms")),
      {fmt::format("In the supremum K^-m is what hats (m = 1) show: {}.", slope("hat", "sup")),
       fmt::format("And smooth hats (m = 2): {}.", slope("smooth hat", "sup")),
       fmt::format("The printed K^-(2m+1) is the rate of the squared L2 error: {} for hats.",
                   slope("hat", "l2 squared")),
       fmt::format("A policy that is drawn state by state has no smoothness along the states for a rate to use: {} on "
                   "the chain.",
                   slope("chain", "l1"))}};
}

}  // namespace

Item rates() {
  return {
      16,
      "rates",
      "Rates: Fourier in L1 and supremum, mixtures in KL, sampling",
      "Partial Fourier sums converge as 1/K in L1, and as K^-(2m+1) in the supremum where m - 1 derivatives are "
      "continuous and the m-th is bounded; mixtures as 1/K + 1/n in KL; drawing K actions as the root of K.",
      {"functions of an angle: five random bumps on a floor, steps, hats (m = 1), quadratic splines (m = 2), analytic",
       "K of partial sums is a frequency; of tables, real coefficients, the largest",
       "a printed rate of K^-a is confirmed where the slope is shown to be below -0.9 a, over the K above 1e-12",
       "sampling: mean of the drawn actions, root mean square of 200 tries; printed O(sqrt K) is read as 1/sqrt K"},
      {Teacher::pendulum_v0},
      true,
      4,
      1,
      measure,
      rates_rules,
      tell};
}

}  // namespace mercer::paper

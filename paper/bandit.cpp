#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/env.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t arms = 50;
constexpr double lambda = 0.2;
constexpr std::size_t draws = 200;  // bandits for each seed

double signal(std::size_t arm) {
  const double distance = static_cast<double>(arm + 1) - arms / 2.0;
  return std::exp(-distance * distance / 2) / std::sqrt(2 * std::numbers::pi);
}

// A policy that has learned signal and noise alike: proportional to the rewards, as far as they are positive.
std::vector<double> noisy_policy(std::uint64_t seed) {
  std::vector<double> pi = make_noisy_bandit(arms, lambda, seed).r;
  project_row(pi);
  return pi;
}

// K coefficients of a row: the largest, or those of the lowest frequencies.
std::vector<double> truncated(const std::vector<double>& pi, std::size_t k, bool lowest) {
  const auto basis = make_basis("fourier");
  const Table table{{1, arms}, pi};
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(pi);
  std::vector<std::size_t> kept;
  if (lowest) {
    // At j and arms - j stand both parts of frequency j.
    for (std::size_t j = 0; kept.size() < k; ++j) {
      kept.push_back(j);
      if (j > 0 && 2 * j != arms && kept.size() < k) kept.push_back(arms - j);
    }
  } else {
    kept = largest_kept(basis->terms(coefficients), k);
  }
  std::vector<double> row = basis->reverse(keep_only(coefficients, kept));
  project_row(row);
  return row;
}

struct Earned {
  double greedy = 0, sampled = 0;
};
Earned earn(const std::vector<double>& pi) {
  Earned earned;
  earned.greedy = signal(static_cast<std::size_t>(std::ranges::max_element(pi) - pi.begin()));
  for (std::size_t i = 0; i < arms; ++i) earned.sampled += pi[i] * signal(i);
  return earned;
}

Tables measure(const Bench& bench) {
  Tables tables;
  Frame& example = tables["example"] = {{"seed", "curve", "arm", "value"}};
  Frame& rewards = tables["reward"] = {{"seed", "order", "k", "greedy", "sampled"}};
  const double best = signal(arms / 2 - 1), seed = double(bench.seed);
  const std::vector<double> shown = noisy_policy(1000 * bench.seed);
  for (std::size_t i = 0; i < arms; ++i) {
    example.add({seed, "signal", double(i + 1), signal(i)});
    example.add({seed, "policy", double(i + 1), shown[i]});
    for (const std::size_t k : {2, 5, 10}) {
      example.add({seed, fmt::format("K={}", k), double(i + 1), truncated(shown, k, true)[i]});
    }
  }
  for (const bool lowest : {false, true}) {
    for (std::size_t k = 1; k <= arms; k += (k < 20 ? 1 : bench.quick ? 10 : 2)) {
      Earned sum;
      for (std::size_t i = 0; i < draws; ++i) {
        const Earned one = earn(truncated(noisy_policy(1000 * bench.seed + i), k, lowest));
        sum.greedy += one.greedy / draws;
        sum.sampled += one.sampled / draws;
      }
      rewards.add({seed, lowest ? "lowest" : "largest", double(k), sum.greedy, sum.sampled});
    }
  }
  Earned whole;
  for (std::size_t i = 0; i < draws; ++i) {
    const Earned one = earn(noisy_policy(1000 * bench.seed + i));
    whole.greedy += one.greedy / draws;
    whole.sampled += one.sampled / draws;
  }
  rewards.add({seed, "whole", double(arms), whole.greedy, whole.sampled});
  rewards.add({seed, "best", double(arms), best, best});
  return tables;
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("reward"));
  const Rows whole = all.where("order", "whole"), largest = all.where("order", "largest"),
             lowest = all.where("order", "lowest");
  const auto mode = [](const Rows& rows, double k) { return rows.where("k", k).mean("greedy"); };
  const Rows snr(tables.at("snr")), usual = snr.where("arms", double(arms)).where("lambda", lambda);
  return {fmt::format(
              "Best reward {:.3f}. Mode of the noisy policy: {:.3f}; of its 2, 5 and 10 largest coefficients {:.3f}, "
              "{:.3f}, {:.3f}; of its 2, 5 and 10 lowest frequencies {:.3f}, {:.3f}, {:.3f}. Sampled instead: {:.4f} "
              "untruncated, {:.4f} with the 10 largest, {:.4f} with the 10 lowest. The printed signal-to-noise ratio "
              "is {:.0f} for {} arms, the ratio of variances {:.3f}; from 10 to 1000 arms the printed one grows {:.0f} "
              "times, and the measured one falls to {:.2g} of itself.",
              all.where("order", "best").mean("greedy"), whole.mean("greedy"), mode(largest, 2), mode(largest, 5),
              mode(largest, 10), mode(lowest, 2), mode(lowest, 5), mode(lowest, 10), whole.mean("sampled"),
              largest.where("k", 10.0).mean("sampled"), lowest.where("k", 10.0).mean("sampled"), usual.mean("printed"),
              arms, usual.mean("measured"),
              snr.where("arms", 1000.0).mean("printed") / snr.where("arms", 10.0).mean("printed"),
              snr.where("arms", 1000.0).mean("measured") / snr.where("arms", 10.0).mean("measured")),
          {fmt::format(
               "The signal is one arm wide: its 10 lowest coefficients hold {:.0f}% of its energy, as noise spreads "
               "over all alike. Up to there signal is dropped with the noise.",
               100 * Rows(tables.at("energy")).mean("share")),
           fmt::format("Keeping the 19 lowest frequencies does help the mode: {:.3f}.", mode(lowest, 19))}};
}

// The printed signal-to-noise ratio, N / (2 lambda), beside that of variances: of the signal over the arms, and of
// noise as it was drawn.
void add_ratios(Frame& frame, const Bench& bench) {
  for (const std::size_t n : {10, 50, 200, 1000}) {
    double mean = 0, square = 0;
    for (std::size_t i = 1; i <= n; ++i) {
      const double away = static_cast<double>(i) - static_cast<double>(n) / 2;
      const double value = std::exp(-away * away / 2) / std::sqrt(2 * std::numbers::pi);
      mean += value / static_cast<double>(n), square += value * value / static_cast<double>(n);
    }
    for (const double noise : {0.1, lambda, 0.5}) {
      // What the task adds to the signal, over enough bandits.
      double power = 0, count = 0;
      for (std::uint64_t draw = 0; draw < 20'000 / n; ++draw) {
        const std::vector<double> r = make_noisy_bandit(n, noise, 1000 * bench.seed + draw).r;
        for (std::size_t i = 0; i < n; ++i, ++count) {
          const double away = static_cast<double>(i + 1) - static_cast<double>(n) / 2;
          power += std::pow(r[i] - std::exp(-away * away / 2) / std::sqrt(2 * std::numbers::pi), 2);
        }
      }
      frame.add({double(bench.seed), double(n), noise, static_cast<double>(n) / (2 * noise),
                 (square - mean * mean) / (power / count)});
    }
  }
}

// How much of the signal's variation the ten lowest coefficients hold.
Tables measure_all(const Bench& bench) {
  Tables tables = measure(bench);
  std::vector<double> pi;
  double sum = 0;
  for (std::size_t i = 0; i < arms; ++i) sum += signal(i);
  for (std::size_t i = 0; i < arms; ++i) pi.push_back(signal(i) / sum);
  const auto basis = make_basis("fourier");
  const Table table{{1, arms}, pi};
  basis->train(table);
  const std::vector<double> coefficients = basis->apply(pi);
  double low = 0, all = 0;
  for (std::size_t j = 1; j < arms; ++j) {
    const double energy = coefficients[j] * coefficients[j];
    all += energy;
    if (std::min(j, arms - j) <= 5) low += energy;
  }
  tables["energy"] = {{"seed", "share"}};
  tables["energy"].add({double(bench.seed), low / all});
  tables["snr"] = {{"seed", "arms", "lambda", "printed", "measured"}};
  add_ratios(tables["snr"], bench);
  return tables;
}

}  // namespace

Item bandit() {
  return {2,
          "bandit",
          "Noisy bandit: reward of truncated policies",
          "A policy that has learned signal and noise collects more once its Fourier series is cut: lower regret up "
          "to K = 10, because the noise is cut off and the right mode is found.",
          {fmt::format("{} arms, noise of standard deviation {}, {} bandits for each seed", arms, lambda, draws),
           "policy: proportional to the positive part of the noisy rewards",
           "rewards are counted without the noise, since regret is against the true best arm",
           "both readings of K coefficients: the largest, and the lowest frequencies"},
          {},
          true,
          1.5,
          2,
          measure_all,
          bandit_rules,
          tell};
}

}  // namespace mercer::paper

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/env.hpp"

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

// The least reward of any K from 2 to 10, mean over the seeds.
double least_reward(const Rows& rows, const char* column) {
  double least = std::numeric_limits<double>::infinity();
  for (const double k : rows.between("k", 2, 10).distinct("k")) {
    least = std::min(least, rows.where("k", k).mean(column));
  }
  return least;
}

Verdict judge(const Tables& tables) {
  const Rows all(tables.at("reward"));
  const Rows whole = all.where("order", "whole"), largest = all.where("order", "largest"),
             lowest = all.where("order", "lowest");
  const double best = all.where("order", "best").mean("greedy");
  Verdict verdict;
  verdict.rules = {
      below("greedy, largest coefficients",
            "reward of the mode, all coefficients < K largest, for every K from 2 to 10", whole.mean("greedy"),
            least_reward(largest, "greedy")),
      below("greedy, some K", "reward of the mode, all coefficients < best K up to 10", whole.mean("greedy"),
            std::max(largest.between("k", 2, 10).most("greedy"), lowest.between("k", 2, 10).most("greedy"))),
      below("sampled", "expected reward, all coefficients < K largest, for every K from 2 to 10", whole.mean("sampled"),
            least_reward(largest, "sampled"))};
  double peak = 0, peak_k = 0;
  for (const double k : lowest.distinct("k")) {
    if (lowest.where("k", k).mean("greedy") > peak) peak = lowest.where("k", k).mean("greedy"), peak_k = k;
  }
  verdict.saw = fmt::format(
      "Best reward {:.3f}. Mode of the noisy policy: {:.3f}; of its 2, 5 and 10 largest coefficients {:.3f}, {:.3f}, "
      "{:.3f}; of its 2, 5 and 10 lowest frequencies {:.3f}, {:.3f}, {:.3f}. Sampled instead: {:.4f} untruncated, "
      "{:.4f} with the 10 largest. Among the lowest frequencies the mode is best at K = {:.0f}, {:.3f}.",
      best, whole.mean("greedy"), largest.where("k", 2.0).mean("greedy"), largest.where("k", 5.0).mean("greedy"),
      largest.where("k", 10.0).mean("greedy"), lowest.where("k", 2.0).mean("greedy"),
      lowest.where("k", 5.0).mean("greedy"), lowest.where("k", 10.0).mean("greedy"), whole.mean("sampled"),
      largest.where("k", 10.0).mean("sampled"), peak_k, peak);
  verdict.because = {below("the signal is not low", "share of the signal's energy in its 10 lowest coefficients < 90%",
                           tables.at("energy").rows.empty() ? 1 : Rows(tables.at("energy")).mean("share"), 0.9)};
  verdict.reason = fmt::format(
      "The signal is one arm wide: its 10 lowest coefficients hold {:.0f}% of its energy, as noise spreads over all "
      "alike. Up to there signal is dropped with the noise; keeping the {:.0f} lowest frequencies does help the mode.",
      100 * Rows(tables.at("energy")).mean("share"), peak_k);
  return verdict;
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
          judge};
}

}  // namespace mercer::paper

#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "item.hpp"
#include "mercer/basis.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "mercer/statistics.hpp"
#include "rules/rules.hpp"

namespace mercer::paper {
namespace {

constexpr std::size_t bins = 100;
constexpr double temperature = 1;
constexpr std::size_t samples = 1000;
constexpr std::size_t modes = 8;
constexpr double usual_width = 0.2;  // of a bump, rad

struct Table1d {
  std::vector<double> angles, rewards, pi;
};

// The Boltzmann policy of the rewards at the middles of even bins.
Table1d truth(double width) {
  const std::vector<double> widths(modes, width);
  const auto env = make_env(fmt::format("turntable:bumps={},widths={}", modes, fmt::join(widths, ";")));
  Table1d table;
  for (std::size_t j = 0; j < bins; ++j) {
    table.angles.push_back(std::numbers::pi * (2 * (static_cast<double>(j) + 0.5) / bins - 1));
  }
  std::vector<double> state(bins, 0.0);
  std::vector<std::uint8_t> ended(bins);
  std::vector<std::uint64_t> items(bins);
  table.rewards.resize(bins);
  env->step({state.data(), 1, bins}, {table.angles.data(), 1, bins}, {0, Stage::transition, 0, items}, table.rewards,
            ended);
  double sum = 0;
  for (const double reward : table.rewards) sum += std::exp(reward / temperature);
  for (const double reward : table.rewards) table.pi.push_back(std::exp(reward / temperature) / sum);
  return table;
}

std::vector<double> fourier_row(const Table1d& table, std::size_t k) {
  const auto basis = make_basis("fourier");
  const Table whole{{1, bins}, table.pi};
  basis->train(whole);
  const std::vector<double> coefficients = basis->apply(whole.values);
  std::vector<double> row = basis->reverse(keep_only(coefficients, largest_kept(basis->terms(coefficients), k)));
  project_row(row);
  return row;
}

// A mixture as probabilities of the bins: its density at their middles, normalised. One that has no density there at
// all (all its components are narrower than a bin) counts as uniform.
std::vector<double> mixture_row(const Table1d& table, const Mixture& mixture) {
  std::vector<double> row = log_density(mixture, {table.angles.data(), bins, 1});
  for (double& value : row) value = std::exp(value);
  project_row(row);
  return row;
}

// As published: means uniform over the circle, variances drawn from four.
Mixture random_mixture(std::size_t k, std::uint64_t seed) {
  Mixture mixture{1, Covariance::diagonal, std::vector<double>(k, 1 / static_cast<double>(k)), {}, {}};
  constexpr double variances[] = {0.1, 0.5, 1, 2};
  for (std::size_t i = 0; i < k; ++i) {
    Random random({seed, Stage::mixture, i, 1});
    mixture.means.push_back(std::numbers::pi * (2 * random.uniform() - 1));
    mixture.variances.push_back(variances[static_cast<std::size_t>(4 * random.uniform())]);
  }
  return mixture;
}

Tables measure(const Bench& bench) {
  const Table1d table = truth(usual_width);
  Tables tables;
  tables["policy"] = {{"seed", "angle", "reward", "probability"}};
  for (std::size_t j = 0; j < bins; ++j) {
    tables["policy"].add({double(bench.seed), table.angles[j], table.rewards[j], table.pi[j]});
  }
  std::vector<double> drawn;  // what a mixture is fitted to where only the policy's actions can be seen
  for (std::size_t i = 0; i < samples; ++i) {
    Random random({bench.seed, Stage::baseline, i, 0});
    const std::size_t bin = random.categorical(table.pi);
    drawn.push_back(table.angles[bin] + (random.uniform() - 0.5) * 2 * std::numbers::pi / bins);
  }
  std::vector<std::size_t> ks;
  for (std::size_t k = 1; k <= 100; k += bench.quick ? (k < 10 ? 3 : 10) : (k < 20 ? 1 : 4)) ks.push_back(k);
  const std::vector<std::string> methods{"dft", "gmm", "gmm-grid", "fixed-gmm"};
  std::vector<double> w1(ks.size() * methods.size());
  for_each_block(w1.size(), 1, [&](Block block) {
    const std::size_t k = ks[block.begin / methods.size()];
    const std::string& method = methods[block.begin % methods.size()];
    bench.progress.check();
    MixtureOptions options;
    options.seed = bench.seed;
    std::vector<double> row;
    if (method == "dft") {
      row = fourier_row(table, k);
    } else if (method == "gmm") {
      row = mixture_row(table, fit_mixture({drawn.data(), samples, 1}, k, {}, {}, options).mixture);
    } else if (method == "gmm-grid") {
      row = mixture_row(table, fit_mixture({table.angles.data(), bins, 1}, k, table.pi, {}, options).mixture);
    } else {
      options.weights_only = true;
      const Mixture start = random_mixture(k, bench.seed);
      row = mixture_row(table, fit_mixture({table.angles.data(), bins, 1}, k, table.pi, start, options).mixture);
    }
    w1[block.begin] = wasserstein_on_atoms(table.pi, row, table.angles);
  });
  Frame& curve = tables["w1"] = {{"seed", "method", "k", "w1"}};
  for (std::size_t i = 0; i < w1.size(); ++i) {
    curve.add({double(bench.seed), methods[i % methods.size()], double(ks[i / methods.size()]), w1[i]});
  }
  // How many coefficients a policy needs follows from how fine it is: the same with wider bumps.
  Frame& wider = tables["widths"] = {{"seed", "width", "k", "w1"}};
  for (const double width : {0.2, 0.4, 0.8}) {
    const Table1d other = truth(width);
    for (const std::size_t k : {1, 10, 20}) {
      wider.add(
          {double(bench.seed), width, double(k), wasserstein_on_atoms(other.pi, fourier_row(other, k), other.angles)});
    }
  }
  return tables;
}

// Spread over the seeds, mean over K.
double spread(const Rows& rows) {
  std::vector<double> all;
  for (const double k : rows.distinct("k")) all.push_back(rows.where("k", k).sd("w1"));
  return mean_of(all);
}

Told tell(const Tables& tables) {
  const Rows all(tables.at("w1")), gmm = all.where("method", "gmm"), few = gmm.between("k", 10, 60),
                                   many = gmm.between("k", 61, 100), dft = all.where("method", "dft");
  const double least = all.where("method", "gmm-grid").between("k", 61, 100).mean("w1");
  const Rows wider(tables.at("widths"));
  const auto share = [&](double width, double k) {
    const Rows own = wider.where("width", width);
    return 100 * own.where("k", k).mean("w1") / own.where("k", 1.0).mean("w1");
  };
  return {
      fmt::format("W1 for 10 <= K <= 60 and for more: mixture by EM {:.3g} and {:.3g} rad (sd over seeds {:.2g} and "
                  "{:.2g}); DFT at most {:.2g} from K = 10 on; fixed basis {:.3g} on average.",
                  few.mean("w1"), many.mean("w1"), spread(few), spread(many), dft.between("k", 10, 100).most("w1"),
                  all.where("method", "fixed-gmm").between("k", 10, 100).mean("w1")),
      {fmt::format("Fitted to the exact table instead of {} samples, EM stands at {:.2g} rad past 60 components "
                   "(samples: {:.2g}): what keeps the mixture from improving is mostly the noise of its samples.",
                   samples, least, many.mean("w1")),
       fmt::format("Ten Fourier coefficients leave {:.1f}% of the distance of one where bumps are 0.2 rad wide, "
                   "{:.1f}% at 0.4 and {:.1f}% at 0.8; twenty leave {:.1f}% at 0.2.",
                   share(0.2, 10), share(0.4, 10), share(0.8, 10), share(0.2, 20))}};
}

}  // namespace

Item turntable() {
  return {
      1,
      "turntable",
      "Bandit turntable: W1 against the number of components",
      "A Gaussian mixture fitted by EM has trouble beyond 60 components, the Fourier approximation is stable from 10 "
      "on, and a mixture with a fixed basis does not approximate the policy well.",
      {fmt::format("rewards: {} bumps of rising height, 0.2 rad wide", modes),
       fmt::format("temperature of the Boltzmann policy: {}", temperature),
       fmt::format("EM sees {} samples and runs 100 rounds from k-means++", samples),
       "K counts real Fourier coefficients, mixture components otherwise", "W1 on the line, in radians"},
      {},
      true,
      3.5,
      3,
      measure,
      turntable_rules,
      tell};
}

}  // namespace mercer::paper

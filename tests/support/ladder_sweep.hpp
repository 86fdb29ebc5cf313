#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "mercer/certify.hpp"
#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/mdp.hpp"
#include "mercer/policy.hpp"

namespace mercer {

/// A task with a teacher and the lattice to embed it on.
struct LadderTask {
  std::string name;
  std::string env;
  std::size_t state_bins;
  std::size_t action_bins;
  std::function<std::unique_ptr<Policy>(const Env&)> teacher;
};

/// exp(Q / temperature) of a table of numbers.
inline std::unique_ptr<Policy> boltzmann_table(std::size_t n, std::size_t m, std::vector<double> q,
                                               double temperature) {
  for (std::size_t s = 0; s < n; ++s) {
    double most = -HUGE_VAL, sum = 0;
    for (std::size_t a = 0; a < m; ++a) most = std::max(most, q[s * m + a]);
    for (std::size_t a = 0; a < m; ++a) sum += q[s * m + a] = std::exp((q[s * m + a] - most) / temperature);
    for (std::size_t a = 0; a < m; ++a) q[s * m + a] /= sum;
  }
  return std::make_unique<TabularPolicy>("boltzmann", n, m, std::move(q));
}

/// The tasks of the sweep. `policies` is the folder of networks that others trained.
inline std::vector<LadderTask> ladder_tasks(const std::string& policies) {
  const auto network = [policies](const std::string& file) {
    return [spec = policies + "/" + file](const Env& env) { return make_policy(spec, env.task()); };
  };
  // Pushes the cart to where the pole falls, and a little to the middle.
  const auto balance = [](const Env& env) -> std::unique_ptr<Policy> {
    const BatchFunction q = [](MatrixView<const double> in, MatrixView<double> out) {
      for (std::size_t i = 0; i < in.cols(); ++i) {
        out(1, i) = 0.1 * in(0, i) + 0.3 * in(1, i) + 4 * in(2, i) + in(3, i);
        out(0, i) = -out(1, i);
      }
    };
    return std::make_unique<DiscreteBoltzmannPolicy>("balance", contract_of(env.task()), q, 1.5);
  };
  const auto angles = [](const Env& env) -> std::unique_ptr<Policy> {
    const double scale = env.task().action.axes[0].range.high;
    const std::shared_ptr<const Env> table = make_env("turntable");
    const BatchFunction q = [table, scale](MatrixView<const double> in, MatrixView<double> out) {
      std::vector<double> state(in.cols()), action(in.cols()), reward(in.cols());
      std::vector<std::uint8_t> ended(in.cols());
      std::vector<std::uint64_t> items(in.cols());
      for (std::size_t i = 0; i < in.cols(); ++i) action[i] = scale * in(1, i);
      table->step(MatrixView<double>(state.data(), 1, in.cols()), MatrixView<const double>(action.data(), 1, in.cols()),
                  {0, Stage::transition, 0, items}, reward, ended);
      for (std::size_t i = 0; i < in.cols(); ++i) out(0, i) = reward[i];
    };
    Contract contract = contract_of(env.task());
    contract.centre = {0};
    contract.scale = {scale};
    return std::make_unique<BoxBoltzmannPolicy>("angles", contract, q, 0.2);
  };
  const auto arms = [](const Env& env) -> std::unique_ptr<Policy> {
    const TabularMdp& mdp = dynamic_cast<const TabularEnv&>(env).mdp();
    return boltzmann_table(mdp.n, mdp.m, mdp.r, 0.1);
  };
  const auto walker = [](const Env& env) -> std::unique_ptr<Policy> {
    TabularMdp mdp = dynamic_cast<const TabularEnv&>(env).mdp();
    mdp.gamma = 0.95;
    std::vector<double> right;
    for (std::size_t s = 0; s < mdp.n; ++s) right.insert(right.end(), {0, 1});
    return boltzmann_table(mdp.n, mdp.m, solve_tabular(sparse_mdp(mdp), right).Q, 0.5);
  };
  return {{"pendulum", "pendulum", 12, 15, network("pendulum_5000_actor.onnx")},
          {"mountain-car", "mountain-car", 16, 3, network("mc_dqn_120000_q.onnx:temperature=0.2")},
          {"continuous-mountain-car", "continuous-mountain-car", 16, 15, network("cmc_sde_10000_actor.onnx")},
          {"cart-pole", "cart-pole", 6, 2, balance},
          {"turntable", "turntable", 1, 32, angles},
          {"noisy-bandit", "noisy-bandit", 1, 50, arms},
          {"chain", "chain:n=10,alpha=0.9,horizon=50", 10, 2, walker}};
}

struct LadderSweepOptions {
  std::vector<std::string> bases{"fourier", "dct", "db4", "svd"};
  std::vector<double> shares{0.1, 0.3, 1};  ///< of all coefficients
  std::size_t rollouts = 50;
  std::size_t episodes = 300;
  std::size_t coupled = 100;
  std::uint64_t seed = 7;
};

/// What tells a row from all others of its certificate.
inline std::string row_name(const CertificateRow& row) {
  if (row.about == Quantity::episode_return && !row.in_model) return row.term;
  return fmt::format("{} ({}{})", row.term, name(row.about), row.in_model ? ", in the model" : "");
}

/// How the rows of one bound came out over the embeddings of one task.
struct LadderTally {
  Level level = Level::rigorous;
  std::size_t rows = 0, vacuous = 0, violations = 0, wins = 0;
  double least = HUGE_VAL, most = -HUGE_VAL;  ///< slack
  double worst = -HUGE_VAL;                   ///< largest measured / bound
};
using LadderTallies = std::map<std::string, LadderTally>;

/// Adds a certificate. What was played is known to `noise` only; what was solved, to rounding.
inline void tally(LadderTallies& tallies, const Certificate& certificate) {
  const double noise = certificate.upper_return - certificate.loss_return;
  for (const CertificateRow& row : certificate.rows) {
    if (std::isnan(row.value)) continue;
    LadderTally& own = tallies[row_name(row)];
    own.level = row.level;
    ++own.rows;
    own.vacuous += row.vacuous ? 1 : 0;
    own.wins += row.winner ? 1 : 0;
    if (std::isnan(row.measured)) continue;
    const bool played = row.measured == std::abs(certificate.loss_return);
    const double forgiven = 1e-9 * (1 + std::abs(row.measured)) + (played ? noise : 0);
    own.violations += row.measured > row.value + forgiven ? 1 : 0;
    own.least = std::min(own.least, row.slack);
    own.most = std::max(own.most, row.slack);
    if (row.value > 0) own.worst = std::max(own.worst, row.measured / row.value);
  }
}

/// Embeds the teacher in every basis with every K, certifies each on all levels, and calls `each` with the name of the
/// embedding and its certificate.
inline void sweep_ladder(const LadderTask& task, const LadderSweepOptions& options,
                         const std::function<void(const std::string&, const Certificate&)>& each) {
  const std::unique_ptr<Env> env = make_env(task.env, 0);
  const std::unique_ptr<Policy> teacher = task.teacher(*env);
  LatticeOptions lattice = best_lattice();
  lattice.state_bins = {task.state_bins};
  lattice.action_bins = {task.action_bins};
  RolloutOptions collecting;
  collecting.episodes = options.rollouts;
  const Lattice made = make_lattice(*teacher, rollout(*env, *teacher, collecting), lattice);
  CertifyOptions certifying;
  certifying.episodes = options.episodes;
  certifying.coupled = options.coupled;
  certifying.seed = options.seed;
  for (const std::string& basis : options.bases) {
    const std::size_t all = basis == "svd"
                                ? std::min(made.table.rows, made.table.cols)
                                : 2 * LatticeEmbedding::make(*teacher, made, lattice.playing, {.basis = basis}).k();
    for (const double share : options.shares) {
      const auto k = std::max<std::size_t>(1, static_cast<std::size_t>(share * static_cast<double>(all)));
      const LatticeEmbedding embedding =
          LatticeEmbedding::make(*teacher, made, lattice.playing, {.basis = basis, .k = k});
      each(basis + " k " + std::to_string(k), certify(*env, *teacher, embedding.policy(), certifying));
    }
  }
}

}  // namespace mercer

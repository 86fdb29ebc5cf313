// The whole published route on one thread, from rollouts to the bytes that a file holds and the policy they decode to:
// an item is one embedding in three bases (Fourier and db4 at half of the coefficients, SVD of rank 4).
// bench/peers_embed.py runs the same in numpy and prints the ratios.

#include <cstdlib>

#include <benchmark/benchmark.h>

#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/parallel.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace {

constexpr std::size_t episodes = 200;

// The policy that MERCER_BENCH_POLICY names, or the pendulum actor of the tests.
std::string policy_file() {
  const char* named = std::getenv("MERCER_BENCH_POLICY");
  return named != nullptr ? named : "tests/data/policies/pendulum_5000_actor.onnx";
}

struct Teacher {
  std::unique_ptr<mercer::Env> env = mercer::make_env("pendulum");
  std::unique_ptr<mercer::Policy> policy = mercer::make_policy(policy_file(), env->task());

  mercer::Rollouts roll_out() const {
    mercer::RolloutOptions options;
    options.episodes = episodes;
    return mercer::rollout(*env, *policy, options);
  }
};

void project(const mercer::Policy& teacher, const mercer::Lattice& lattice, const mercer::LatticeOptions& options) {
  const std::size_t half = lattice.table.pi.size() / 2;
  for (const auto& [basis, k] :
       {std::pair{"fourier", half}, std::pair{"db4", half}, std::pair{"svd", std::size_t{4}}}) {
    mercer::TruncationOptions truncation;
    truncation.basis = basis;
    truncation.k = k;
    truncation.order = mercer::RowOrder::lexicographic;
    const auto embedding = mercer::LatticeEmbedding::make(teacher, lattice, options.playing, truncation);
    benchmark::DoNotOptimize(embedding.payload().data());
  }
}

void embed_whole(benchmark::State& state) {
  const mercer::ThreadLimit limit(1);
  const Teacher teacher;
  const mercer::LatticeOptions options = mercer::paper_lattice();
  for (auto _ : state) {
    const mercer::Rollouts met = teacher.roll_out();
    project(*teacher.policy, mercer::make_lattice(*teacher.policy, met, options), options);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

// What of it is the teacher's network: the states of the rollouts in batches of one step, and the centres of the cells.
void embed_network(benchmark::State& state) {
  const mercer::ThreadLimit limit(1);
  const Teacher teacher;
  const mercer::Rollouts met = teacher.roll_out();
  const mercer::Lattice lattice = mercer::make_lattice(*teacher.policy, met, mercer::paper_lattice());
  const std::size_t seen = teacher.policy->observation_dimensions();
  const std::size_t batches = met.steps() / episodes, cells = lattice.cells->size();
  std::vector<double> steps(met.steps() * seen), centres(seen * cells), action(std::max(episodes, cells));
  for (std::size_t t = 0; t < met.steps(); ++t) {  // episode after episode, as columns of one step each
    const std::size_t episode = t / batches, b = t % batches;
    for (std::size_t d = 0; d < seen; ++d) {
      steps[(b * seen + d) * episodes + episode] = met.observations[t * seen + d];
    }
  }
  for (std::size_t d = 0; d < seen; ++d) {
    for (std::size_t c = 0; c < cells; ++c) centres[d * cells + c] = lattice.cells->centre(c, d);
  }
  for (auto _ : state) {
    for (std::size_t b = 0; b < batches; ++b) {
      teacher.policy->mean_action({steps.data() + b * seen * episodes, seen, episodes}, {action.data(), 1, episodes});
    }
    teacher.policy->mean_action({centres.data(), seen, cells}, {action.data(), 1, cells});
    benchmark::DoNotOptimize(action.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK(embed_whole)->Unit(benchmark::kMillisecond);
BENCHMARK(embed_network)->Unit(benchmark::kMillisecond);

}  // namespace

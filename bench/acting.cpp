// One action at batch 1 on one core, for an actor of the pendulum on its lattice, in states as its rollouts met them.
// An item is one action. Asked: 100 ns from the decoded table, 2 us from 500 Fourier coefficients.

#include <benchmark/benchmark.h>

#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"

namespace {

struct Teacher {
  std::unique_ptr<mercer::Env> env = mercer::make_env("pendulum");
  std::unique_ptr<mercer::Policy> policy =
      mercer::make_policy(MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx", env->task());
  mercer::Rollouts rollouts = mercer::rollout(*env, *policy, {.episodes = 200, .seed = 1});
  mercer::Rollouts others = mercer::rollout(*env, *policy, {.episodes = 20, .seed = 2});
};

const Teacher& teacher() {
  static const Teacher made;
  return made;
}

mercer::LatticeEmbedding embed(mercer::LatticeOptions options, const mercer::TruncationOptions& truncation,
                               const mercer::Acting& acting) {
  const mercer::Lattice lattice = mercer::make_lattice(*teacher().policy, teacher().rollouts, options);
  const auto made = mercer::LatticeEmbedding::make(*teacher().policy, lattice, options.playing, truncation);
  return mercer::LatticeEmbedding::decode(made.payload(), made.policy().contract(), "bytes", acting);
}

// The states lie one after the other, as rows: a column of each is a batch of one.
void act(benchmark::State& state, const mercer::Policy& policy, const std::vector<double>& states) {
  const std::size_t count = states.size() / 3;
  std::size_t i = 0;
  std::uint64_t item = 0;
  double action = 0;
  for (auto _ : state) {
    policy.sample({states.data() + 3 * i, 3, 1}, {1, mercer::Stage::action, 0, {&item, 1}}, {&action, 1, 1});
    benchmark::DoNotOptimize(action);
    i = i + 1 < count ? i + 1 : 0;
    ++item;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

void run(benchmark::State& state, const mercer::LatticeOptions& options, const mercer::TruncationOptions& truncation,
         const mercer::Acting& acting) {
  const mercer::LatticeEmbedding embedding = embed(options, truncation, acting);
  act(state, embedding.policy(), teacher().others.observations);
}

const mercer::TruncationOptions fourier{.basis = "fourier", .k = 500};
constexpr mercer::Acting from_coefficients{.from = mercer::RowsFrom::coefficients};

void acting_decoded_best(benchmark::State& state) { run(state, mercer::best_lattice(), fourier, {}); }
void acting_decoded_paper(benchmark::State& state) { run(state, mercer::paper_lattice(), fourier, {}); }
void acting_alias_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), fourier, {.draw = mercer::DrawRule::alias});
}
void acting_importance_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), fourier, {.draw = mercer::DrawRule::importance});
}
void acting_fourier_500_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), fourier, from_coefficients);
}
void acting_fourier_500_paper(benchmark::State& state) {
  run(state, mercer::paper_lattice(), fourier, from_coefficients);
}
void acting_dct_500_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), {.basis = "dct", .k = 500}, from_coefficients);
}
void acting_db4_500_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), {.basis = "db4", .k = 500}, from_coefficients);
}
void acting_svd_7_best(benchmark::State& state) {
  run(state, mercer::best_lattice(), {.basis = "svd", .k = 7}, from_coefficients);
}
BENCHMARK(acting_decoded_best);
BENCHMARK(acting_decoded_paper);
BENCHMARK(acting_alias_best);
BENCHMARK(acting_importance_best);
BENCHMARK(acting_fourier_500_best);
BENCHMARK(acting_fourier_500_paper);
BENCHMARK(acting_dct_500_best);
BENCHMARK(acting_db4_500_best);
BENCHMARK(acting_svd_7_best);

// States in cells that were never visited: those that playing at random meets.
void acting_unvisited_best(benchmark::State& state) {
  const mercer::LatticeEmbedding embedding = embed(mercer::best_lattice(), fourier, {});
  const auto random = mercer::make_policy("uniform", teacher().env->task());
  const std::vector<double> met = mercer::rollout(*teacher().env, *random, {.episodes = 300, .seed = 3}).observations;
  std::vector<double> states;
  for (std::size_t i = 0; i < met.size(); i += 3) {
    if (embedding.policy().cells().find(&met[i]) != mercer::Cells::none) continue;
    states.insert(states.end(), &met[i], &met[i] + 3);
  }
  state.counters["states"] = static_cast<double>(states.size() / 3);
  act(state, embedding.policy(), states);
}
BENCHMARK(acting_unvisited_best);

}  // namespace

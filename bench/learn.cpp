// Updates of soft actor-critic as a fraction of this machine's own matrix product: Eigen's sgemm, 256 x 256 x 256, in
// the same run and on the same number of threads. An item is a floating-point operation. Of an update only the matrix
// products count, each once (`sac_update_flops`); noise, element-wise work, Adam and target networks take time and
// count nothing.

#define EIGEN_STACK_ALLOCATION_LIMIT 1048576  // as the library's own products

#include <algorithm>

#include <Eigen/Core>
#include <benchmark/benchmark.h>

#include "learn/learner.hpp"
#include "learn/sac.hpp"
#include "mercer/parallel.hpp"
#include "mercer/random.hpp"
#include "ratio.hpp"

namespace {

// The product that a thread can do best, on each of `threads` threads with matrices of its own.
void run_sgemm(benchmark::State& state, std::size_t threads) {
  constexpr Eigen::Index n = 256;
  constexpr std::size_t rounds = 64;
  const mercer::ThreadLimit limit(threads);
  struct Factors {
    Eigen::MatrixXf a = Eigen::MatrixXf::Random(n, n), b = Eigen::MatrixXf::Random(n, n), c = a;
  };
  std::vector<Factors> factors(threads);
  for (auto _ : state) {
    mercer::for_each_block(threads, 1, [&](mercer::Block block) {
      Factors& own = factors[block.index];
      for (std::size_t i = 0; i < rounds; ++i) {
        own.c.noalias() = own.a * own.b;
        benchmark::ClobberMemory();
      }
    });
  }
  const double flops = 2.0 * n * n * n * rounds * static_cast<double>(threads);
  state.SetItemsProcessed(static_cast<std::int64_t>(static_cast<double>(state.iterations()) * flops));
}

struct Size {
  std::size_t observations, actions;
};
constexpr Size pendulum{3, 1};
constexpr Size half_cheetah{17, 6};

mercer::Task task_of(const Size& size) {
  mercer::Task task;
  task.observation.axes.assign(size.observations, {"observation", {-1, 1}});
  task.action.axes.assign(size.actions, {"action", {-1, 1}});
  return task;
}

// Whole updates of a learner, drawing the minibatch from 10,000 steps and all noise included.
void run_updates(benchmark::State& state, std::size_t threads, std::vector<std::size_t> hidden, std::size_t batch,
                 const Size& size = pendulum) {
  const mercer::ThreadLimit limit(threads);
  mercer::SacOptions options;
  options.hidden = std::move(hidden);
  options.batch_size = batch;
  const auto learner = mercer::learn::make_sac(options, task_of(size), 0);
  constexpr std::size_t steps = 10'000;
  mercer::learn::Replay replay(size.observations, size.actions, steps, steps);
  std::vector<float> now(size.observations), next(size.observations), action(size.actions);
  for (std::size_t i = 0; i < steps; ++i) {
    mercer::Random random({1, mercer::Stage::task, i, 0});
    const auto draw = [&] { return static_cast<float>(2 * random.uniform() - 1); };
    for (std::vector<float>* part : {&now, &next, &action}) std::ranges::generate(*part, draw);
    replay.add(now, action, next, draw(), false);
  }
  for (auto _ : state) learner->update(replay);
  const auto updates = static_cast<double>(state.iterations());
  const double flops = mercer::learn::sac_update_flops(size.observations, size.actions, options);
  state.SetItemsProcessed(static_cast<std::int64_t>(updates * flops));
  state.counters["updates"] = benchmark::Counter(updates, benchmark::Counter::kIsRate);
}

void sgemm_1(benchmark::State& state) { run_sgemm(state, 1); }
void sgemm_2(benchmark::State& state) { run_sgemm(state, 2); }
void sac_64x64_batch_100_1(benchmark::State& state) { run_updates(state, 1, {64, 64}, 100); }
void sac_64x64_batch_100_2(benchmark::State& state) { run_updates(state, 2, {64, 64}, 100); }
void sac_256x256_batch_256_1(benchmark::State& state) { run_updates(state, 1, {256, 256}, 256); }
void sac_256x256_batch_256_2(benchmark::State& state) { run_updates(state, 2, {256, 256}, 256); }
void sac_half_cheetah_1(benchmark::State& state) { run_updates(state, 1, {256, 256}, 256, half_cheetah); }

BENCHMARK(sgemm_1);  // alone on its thread: processor time, which other work on the machine leaves as it is
BENCHMARK(sgemm_2)->UseRealTime();
BENCHMARK(sac_64x64_batch_100_1);
BENCHMARK(sac_64x64_batch_100_2)->UseRealTime();
BENCHMARK(sac_256x256_batch_256_1);
BENCHMARK(sac_256x256_batch_256_2)->UseRealTime();
BENCHMARK(sac_half_cheetah_1);
const bool declared =
    declare_ratio({"SAC 256x256, batch 256, one thread", "sac_256x256_batch_256_1", "sgemm_1", 0.6}) &&
    declare_ratio({"SAC 256x256, batch 256, 17 observations and 6 actions", "sac_half_cheetah_1", "sgemm_1", 0.6}) &&
    declare_ratio({"SAC 64x64, batch 100, one thread", "sac_64x64_batch_100_1", "sgemm_1", 0.4}) &&
    declare_ratio({"SAC 256x256, batch 256, two threads", "sac_256x256_batch_256_2", "sgemm_2", 0.6}) &&
    declare_ratio({"SAC 64x64, batch 100, two threads", "sac_64x64_batch_100_2", "sgemm_2", 0.4});

}  // namespace

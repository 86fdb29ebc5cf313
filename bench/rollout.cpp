// Whole rollouts, random draws and bookkeeping included, on all cores. An item is a step.

#include "mercer/rollout.hpp"

#include <benchmark/benchmark.h>

#include "mercer/env.hpp"
#include "mercer/policy.hpp"

namespace {

void run_rollouts(benchmark::State& state, const char* task, bool keep_steps) {
  const auto env = mercer::make_env(task);
  const auto policy = mercer::make_policy("uniform", env->task());
  mercer::RolloutOptions options;
  options.episodes = 4096;
  options.keep_steps = keep_steps;
  std::size_t steps = 0;
  for (auto _ : state) {
    steps += mercer::rollout(*env, *policy, options).steps();
    ++options.seed;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(steps));
}

BENCHMARK_CAPTURE(run_rollouts, pendulum_returns, "pendulum", false)->UseRealTime();
BENCHMARK_CAPTURE(run_rollouts, pendulum_steps_kept, "pendulum", true)->UseRealTime();
BENCHMARK_CAPTURE(run_rollouts, cart_pole_returns, "cart-pole", false)->UseRealTime();
BENCHMARK_CAPTURE(run_rollouts, mountain_car_returns, "continuous-mountain-car", false)->UseRealTime();

}  // namespace

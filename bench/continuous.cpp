// Acting from K terms of a continuous embedding on one core, one state at a time and in a batch. Degree 5 on the three
// observations of the pendulum; tanh included.

#include <vector>

#include <benchmark/benchmark.h>

#include "mercer/embed/continuous_embedding.hpp"
#include "mercer/env/registry.hpp"

namespace {

void act(benchmark::State& state, std::size_t columns) {
  const auto env = mercer::make_env("pendulum");
  const mercer::Contract contract = mercer::contract_of(env->task());
  mercer::ContinuousCode code;
  code.coordinates = mercer::contract_coordinates(contract, code.head);
  mercer::Terms all = mercer::no_terms(mercer::periodic_axes(code.coordinates));
  mercer::add_tensor(all, mercer::Family::chebyshev, mercer::IndexRule::total, 5);
  std::vector<std::size_t> chosen;
  const auto k = static_cast<std::size_t>(state.range(0));
  for (std::size_t j = 0; j < k; ++j) chosen.push_back(j * all.size() / k);
  code.terms = mercer::select_terms(all, chosen);
  for (std::size_t j = 0; j < k; ++j) code.coefficients.push_back(0.1 * static_cast<double>(j % 5) - 0.2);
  const auto embedding = mercer::ContinuousEmbedding::make(code, contract, "bench");
  std::vector<double> observation(3 * columns), action(columns);
  for (std::size_t i = 0; i < observation.size(); ++i) observation[i] = static_cast<double>(i % 19) / 10 - 0.9;
  const mercer::Policy& policy = embedding.policy();
  for (auto _ : state) {
    policy.mean_action({observation.data(), 3, columns}, {action.data(), 1, columns});
    benchmark::DoNotOptimize(action.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * columns));
}

void continuous_act_one(benchmark::State& state) { act(state, 1); }
void continuous_act_batch(benchmark::State& state) { act(state, 4096); }
BENCHMARK(continuous_act_one)->Arg(6)->Arg(16)->Arg(40);
BENCHMARK(continuous_act_batch)->Arg(6)->Arg(16)->Arg(40);

}  // namespace

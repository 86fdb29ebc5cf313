// Acting from K terms of a continuous embedding on one core, one state at a time and in a batch. Degree 5 on the three
// observations of the pendulum; tanh included. Beside it, in the same run, the network of 256 x 256 that such an
// embedding stands for.

#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "mercer/embed/continuous_embedding.hpp"
#include "mercer/env/registry.hpp"
#include "mercer/policy/registry.hpp"
#include "ratio.hpp"

namespace {

void time_actions(benchmark::State& state, const mercer::Policy& policy, std::size_t columns) {
  std::vector<double> observation(3 * columns), action(columns);
  for (std::size_t i = 0; i < observation.size(); ++i) observation[i] = static_cast<double>(i % 19) / 10 - 0.9;
  for (auto _ : state) {
    policy.mean_action({observation.data(), 3, columns}, {action.data(), 1, columns});
    benchmark::DoNotOptimize(action.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * columns));
}

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
  time_actions(state, mercer::ContinuousEmbedding::make(code, contract, "bench").policy(), columns);
}

void network_act(benchmark::State& state, std::size_t columns) {
  const auto env = mercer::make_env("pendulum");
  const std::string file = std::string(MERCER_TEST_DATA) + "/policies/pendulum_5000_actor.onnx";
  time_actions(state, *mercer::make_policy(file, env->task()), columns);
}

void continuous_act_one(benchmark::State& state) { act(state, 1); }
void continuous_act_batch(benchmark::State& state) { act(state, 4096); }
void network_act_one(benchmark::State& state) { network_act(state, 1); }
void network_act_batch(benchmark::State& state) { network_act(state, 4096); }
BENCHMARK(network_act_one);
BENCHMARK(network_act_batch);
BENCHMARK(continuous_act_one)->Arg(6)->Arg(16)->Arg(40);
BENCHMARK(continuous_act_batch)->Arg(6)->Arg(16)->Arg(40);

const bool declared =
    declare_ratio({"one action from 16 terms", "continuous_act_one/16", "network_act_one", 50}) &&
    declare_ratio({"actions from 16 terms, batch 4096", "continuous_act_batch/16", "network_act_batch", 50});

}  // namespace

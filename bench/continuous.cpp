// Acting from K terms of a continuous embedding on one core, one state at a time and in a batch. Degree 5 on the three
// observations of the pendulum; tanh included. Beside it, in the same run, the network of 256 x 256 that such an
// embedding stands for, and a plain table over the observations. Then whole episodes of both, alone and in pairs.

#include <algorithm>
#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include "mercer/embedding.hpp"
#include "mercer/env.hpp"
#include "mercer/policy.hpp"
#include "mercer/rollout.hpp"
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

mercer::ContinuousEmbedding embedding_of(std::size_t k) {
  const auto env = mercer::make_env("pendulum");
  const mercer::Contract contract = mercer::contract_of(env->task());
  mercer::ContinuousCode code;
  code.coordinates = mercer::contract_coordinates(contract, code.head);
  mercer::Terms all = mercer::no_terms(mercer::periodic_axes(code.coordinates));
  mercer::add_tensor(all, mercer::Family::chebyshev, mercer::IndexRule::total, 5);
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < k; ++j) chosen.push_back(j * all.size() / k);
  code.terms = mercer::select_terms(all, chosen);
  for (std::size_t j = 0; j < k; ++j) code.coefficients.push_back(0.1 * static_cast<double>(j % 5) - 0.2);
  return mercer::ContinuousEmbedding::make(code, contract, "bench");
}
void act(benchmark::State& state, std::size_t columns) {
  time_actions(state, embedding_of(static_cast<std::size_t>(state.range(0))).policy(), columns);
}

std::unique_ptr<mercer::Policy> network() {
  const auto env = mercer::make_env("pendulum");
  return mercer::make_policy(MERCER_TEST_DATA "/policies/pendulum_5000_actor.onnx", env->task());
}
void network_act(benchmark::State& state, std::size_t columns) { time_actions(state, *network(), columns); }

// What one would write by hand: the action of the nearest of 35 x 35 x 35 cells.
class Table final : public mercer::Policy {
 public:
  explicit Table(const mercer::Task& task) : Policy("table", mercer::contract_of(task)), actions_(side * side * side) {
    for (std::size_t i = 0; i < actions_.size(); ++i) actions_[i] = static_cast<double>(i % 41) / 10 - 2;
  }
  void sample(mercer::MatrixView<const double> observation, const mercer::Draws&,
              mercer::MatrixView<double> action) const override {
    mean_action(observation, action);
  }
  void mean_action(mercer::MatrixView<const double> observation, mercer::MatrixView<double> action) const override {
    constexpr std::array<double, 3> high{1, 1, 8};
    for (std::size_t i = 0; i < action.cols(); ++i) {
      std::size_t cell = 0;
      for (std::size_t d = 0; d < 3; ++d) {
        const double place = (observation(d, i) / high[d] + 1) * (side / 2.0);
        cell = cell * side + static_cast<std::size_t>(std::clamp(place, 0.0, side - 1.0));
      }
      action(0, i) = actions_[cell];
    }
  }
  void log_prob(mercer::MatrixView<const double>, mercer::MatrixView<const double>,
                std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
  }

 private:
  static constexpr std::size_t side = 35;
  std::vector<double> actions_;
};
void table_act(benchmark::State& state, std::size_t columns) {
  time_actions(state, Table(mercer::make_env("pendulum")->task()), columns);
}

// An item is an episode of 200 steps; the second of a pair starts where the first did.
void play(benchmark::State& state, const mercer::Policy& policy) {
  const auto env = mercer::make_env("pendulum");
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const auto played =
        mercer::rollout(*env, policy, {.episodes = 512, .seed = ++seed, .act = mercer::Act::mean, .keep_steps = false});
    benchmark::DoNotOptimize(played.returns.data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(512 * state.iterations()));
}
void continuous_play(benchmark::State& state) {
  play(state, embedding_of(static_cast<std::size_t>(state.range(0))).policy());
}
void network_play(benchmark::State& state) { play(state, *network()); }

// An item is a pair of episodes, one of each policy.
void pair(benchmark::State& state, const mercer::Policy& teacher, std::size_t episodes) {
  const auto env = mercer::make_env("pendulum");
  const mercer::EnvPlayer player(*env);
  const mercer::ContinuousEmbedding student = embedding_of(16);
  mercer::Episodes same{.count = episodes, .act = mercer::Act::mean};
  for (auto _ : state) {
    ++same.seed;
    benchmark::DoNotOptimize(player.play(teacher, same).data());
    benchmark::DoNotOptimize(player.play(student.policy(), same).data());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(episodes * state.iterations()));
}
void paired_with_network(benchmark::State& state) { pair(state, *network(), 512); }
void paired_with_terms(benchmark::State& state) { pair(state, embedding_of(6).policy(), 4096); }

void continuous_act_one(benchmark::State& state) { act(state, 1); }
void continuous_act_batch(benchmark::State& state) { act(state, 4096); }
void network_act_one(benchmark::State& state) { network_act(state, 1); }
void network_act_batch(benchmark::State& state) { network_act(state, 4096); }
void table_act_one(benchmark::State& state) { table_act(state, 1); }
BENCHMARK(network_act_one);
BENCHMARK(network_act_batch);
BENCHMARK(table_act_one);
BENCHMARK(continuous_act_one)->Arg(6)->Arg(16)->Arg(40);
BENCHMARK(continuous_act_batch)->Arg(6)->Arg(16)->Arg(40);
BENCHMARK(network_play)->UseRealTime();
BENCHMARK(continuous_play)->Arg(6)->Arg(16)->UseRealTime();
BENCHMARK(paired_with_network)->UseRealTime();
BENCHMARK(paired_with_terms)->UseRealTime();

const bool declared =
    declare_ratio({"one action from 16 terms", "continuous_act_one/16", "network_act_one", 50}) &&
    declare_ratio({"actions from 16 terms, batch 4096", "continuous_act_batch/16", "network_act_batch", 50}) &&
    declare_ratio({"episodes from 16 terms", "continuous_play/16", "network_play", 10});

}  // namespace
